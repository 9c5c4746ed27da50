/** What the user may choose of the page, and which agents there are. */
import { For } from 'solid-js';
import { meta } from '../../state/catalog';
import { prefs, setPref, type Theme } from '../../state/prefs';
import { hide } from '../../state/screen';
import { setNotify } from '../notify';
import { Dialog } from '../parts/Dialog';
import { isMac } from '../shortcuts';
import { AgentChecklist } from '../Agents';

const THEMES: [Theme, string][] = [['system', 'System'], ['light', 'Light'], ['dark', 'Dark'], ['contrast', 'High contrast']];

export function SettingsDialog() {
  return (
    <Dialog title="Settings" onClose={hide} testId="settings-dialog">
      <div class="settings">
        <Choices name="Theme" value={prefs.theme} choices={THEMES} onChange={(theme) => setPref('theme', theme)} />
        <Choices name="Send with" value={prefs.sendWith} choices={[['enter', 'Enter'], ['mod-enter', isMac ? '⌘ Enter' : 'Ctrl Enter']]} onChange={(value) => setPref('sendWith', value)} />
        <Choices name="Changes" value={prefs.diff} choices={[['unified', 'Unified'], ['split', 'Side by side']]} onChange={(value) => setPref('diff', value)} />
        <Toggle name="Notifications" detail="When a turn ends, fails or waits for you, unless you look at it." value={prefs.notify} onChange={(value) => void setNotify(value)} />
        <Toggle name="Sound" detail="A short tone, on the same occasions." value={prefs.sound} onChange={(value) => setPref('sound', value)} />
        <section><p class="menu-label">Agents on this machine</p><AgentChecklist /></section>
        <p class="faint">Liminal Builder {meta()?.version ?? ''}</p>
      </div>
    </Dialog>
  );
}

function Choices<T extends string>(props: { name: string; value: T; choices: [T, string][]; onChange: (value: T) => void }) {
  return (
    <fieldset class="setting-row">
      <legend>{props.name}</legend>
      <div class="segments">
        <For each={props.choices}>
          {([value, label]) => <label><input type="radio" class="hidden-text" name={props.name} checked={props.value === value} onChange={() => props.onChange(value)} /><span>{label}</span></label>}
        </For>
      </div>
    </fieldset>
  );
}

function Toggle(props: { name: string; detail: string; value: boolean; onChange: (value: boolean) => void }) {
  return (
    <label class="setting-row">
      <span><span>{props.name}</span><br /><span class="faint">{props.detail}</span></span>
      <input type="checkbox" role="switch" class="switch" checked={props.value} onChange={(event) => props.onChange(event.currentTarget.checked)} />
    </label>
  );
}
