/** Shown to a browser that the server does not know: why, and the one command that helps. */
import { createSignal, Match, Show, Switch } from 'solid-js';
import { access, detail } from '../state/access';
import { CopyCommand } from './parts/CopyCommand';
import { Icon } from './parts/Icon';
import { Mark } from './parts/Mark';

export function SignIn() {
  const [address, setAddress] = createSignal('');
  const code = (): string | undefined => /#c=([^&\s]+)/.exec(address())?.[1];
  const use = (event: SubmitEvent): void => {
    event.preventDefault();
    const found = code();
    if (!found) return;
    location.hash = `c=${found}`;
    location.reload();
  };
  return (
    <main class="full-page" data-testid="sign-in">
      <section class="notice">
        <Mark />
        <Switch fallback={<Reason title="This browser is not signed in" text="Liminal Builder only answers browsers that were invited from the machine it runs on." />}>
          <Match when={access() === 'unreachable'}>
            <Reason title="The server does not answer" text="Start it again, then reload this page. Sessions go on where they were." />
          </Match>
          <Match when={access() === 'code-used'}>
            <Reason title="This link was already used" text="A link works once. If it was not you who used it, “liminal auth rotate” ends the sessions of all browsers." />
          </Match>
          <Match when={access() === 'code-invalid'}>
            <Reason title="This link is no longer good" text="Links last ten minutes." />
          </Match>
        </Switch>
        <Show
          when={access() === 'unreachable'}
          fallback={<><p class="notice-step">Run this in a terminal and open the address it prints:</p><CopyCommand command="liminal url" /></>}
        >
          <CopyCommand command="liminal serve" />
          <button type="button" class="button primary" onClick={() => location.reload()}>Reload</button>
        </Show>
        <Show when={access() !== 'unreachable'}>
          <form class="notice-form" onSubmit={use}>
            <label for="address">Or paste the address here</label>
            <div class="row">
              <input id="address" class="field mono" autocomplete="off" spellcheck={false} placeholder="http://127.0.0.1:…/#c=…" value={address()} onInput={(event) => setAddress(event.currentTarget.value)} />
              <button class="button primary" disabled={!code()}>Sign in</button>
            </div>
          </form>
        </Show>
        <Show when={!access().startsWith('code-') && detail()}>{(text) => <p class="faint row"><Icon name="info" />{text()}</p>}</Show>
      </section>
    </main>
  );
}

function Reason(props: { title: string; text: string }) {
  return <><h1>{props.title}</h1><p class="muted">{props.text}</p></>;
}
