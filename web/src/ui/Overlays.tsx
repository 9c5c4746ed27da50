/** Whatever lies over the page, one at a time. Loaded when it is first asked for. */
import { Match, Switch } from 'solid-js';
import { overlay, type Overlay } from '../state/screen';
import { AddProjectDialog } from './dialogs/AddProjectDialog';
import { ArchiveDialog } from './dialogs/ArchiveDialog';
import { DeleteSessionDialog, DiscardQueueDialog, RemoveProjectDialog, UnguardedDialog } from './dialogs/ConfirmDialogs';
import { HelpDialog } from './dialogs/HelpDialog';
import { OutputDialog } from './dialogs/OutputDialog';
import { Palette } from './dialogs/Palette';
import { SettingsDialog } from './dialogs/SettingsDialog';
import { TrustDialog } from './dialogs/TrustDialog';

type OverlayOf<K extends Overlay['kind']> = Extract<Overlay, { kind: K }>;

export default function Overlays() {
  const as = <K extends Overlay['kind']>(kind: K): OverlayOf<K> | undefined => {
    const shown = overlay();
    return shown?.kind === kind ? (shown as OverlayOf<K>) : undefined;
  };
  return (
    <Switch>
      <Match when={as('palette')}><Palette /></Match>
      <Match when={as('help')}><HelpDialog /></Match>
      <Match when={as('settings')}><SettingsDialog /></Match>
      <Match when={as('archive')}><ArchiveDialog /></Match>
      <Match when={as('add-project')}><AddProjectDialog /></Match>
      <Match when={as('trust')} keyed>{(shown) => <TrustDialog project={shown.project} then={shown.then} />}</Match>
      <Match when={as('remove-project')} keyed>{(shown) => <RemoveProjectDialog project={shown.project} />}</Match>
      <Match when={as('delete-session')} keyed>{(shown) => <DeleteSessionDialog sessionId={shown.sessionId} />}</Match>
      <Match when={as('discard-queue')} keyed>{(shown) => <DiscardQueueDialog sessionId={shown.sessionId} ids={shown.ids} />}</Match>
      <Match when={as('unguarded')} keyed>{(shown) => <UnguardedDialog name={shown.name} guard={shown.guard} onConfirm={shown.confirm} />}</Match>
      <Match when={as('output')} keyed>{(shown) => <OutputDialog sessionId={shown.sessionId} itemId={shown.itemId} title={shown.title} />}</Match>
    </Switch>
  );
}
