/** What can be chosen of the agent: model, mode and other options, each with the value in force. */
import { createMemo, createSignal, For, Show } from 'solid-js';
import type { Choice, Configure, Guard } from '../../gen/contracts';
import { show } from '../../state/screen';
import { api, codeOfFailure } from '../../state/services';
import type { OpenSession } from '../../state/session';
import { toastError } from '../../state/toasts';
import { Icon, type IconName } from '../parts/Icon';
import { Menu } from '../parts/Menu';

interface Setting {
  key: string;
  name: string;
  icon: IconName;
  current: string | undefined;
  choices: readonly Choice[];
  body: (id: string) => Configure;
}

const WARNINGS: Record<Guard, string> = { asks: '', may_act: 'May act without asking', unguarded: 'Acts without asking' };
const ICONS: Record<string, IconName> = { model: 'spark', mode: 'shield', thought_level: 'brain' };

/** Agents tell their choices in two ways; options win, because they carry the value in force. */
export function settingsOf(session: OpenSession): Setting[] {
  const agent = session.view()?.agent;
  if (!agent) return [];
  const { models, permissionModes, options } = agent.abilities;
  const has = (category: string): boolean => options.some((option) => option.category === category);
  const found: Setting[] = [];
  if (models.length > 0 && !has('model')) found.push({ key: 'model', name: 'Model', icon: 'spark', current: agent.model, choices: models, body: (model) => ({ model }) });
  for (const option of options) {
    found.push({ key: option.id, name: option.name, icon: ICONS[option.category ?? ''] ?? 'sliders', current: option.current, choices: option.choices, body: (id) => ({ options: { [option.id]: id } }) });
  }
  if (permissionModes.length > 0 && !has('mode')) found.push({ key: 'mode', name: 'Mode', icon: 'shield', current: agent.permissionMode, choices: permissionModes, body: (permissionMode) => ({ permissionMode }) });
  return found.filter((setting) => setting.choices.length > 0);
}

export function AgentMenus(props: { session: OpenSession }) {
  const [busy, setBusy] = createSignal<string>();
  const settings = createMemo(() => settingsOf(props.session));
  const keys = createMemo(() => settings().map((setting) => setting.key), [], { equals: (one, other) => one.join() === other.join() });
  const change = async (setting: Setting, choice: Choice, confirmed: boolean): Promise<void> => {
    setBusy(setting.key);
    try {
      await api.configure(props.session.id, { ...setting.body(choice.id), ...(confirmed ? { confirmUnguarded: true } : {}) });
    } catch (error) {
      if (codeOfFailure(error) === 'BYPASS_NOT_CONFIRMED') show({ kind: 'unguarded', name: choice.name, guard: choice.guard, confirm: () => void change(setting, choice, true) });
      else toastError(`Couldn't change ${setting.name.toLowerCase()}`, error);
    } finally {
      setBusy(undefined);
    }
  };
  return (
    <For each={keys()}>
      {(key) => (
        <Show when={settings().find((setting) => setting.key === key)}>
          {(setting) => (
            <Menu
              class="setting" side="above" label={`${setting().name}: ${nameOf(setting())}`} testId={`setting-${key}`} note={setting().name}
              items={setting().choices.map((choice) => ({
                label: choice.name, detail: detailOf(choice), isChecked: choice.id === setting().current,
                run: () => { if (choice.id !== setting().current) void change(setting(), choice, false); },
              }))}
            >
              <Show when={busy() === key} fallback={<Icon name={setting().icon} />}><span class="spinner" /></Show>
              <span class="truncate">{shownOf(setting())}</span>
              <Icon name="down" class="tiny" />
            </Menu>
          )}
        </Show>
      )}
    </For>
  );
}

/** Says what the agent may not say of its own choice. */
function detailOf(choice: Choice): string | undefined {
  const warning = choice.guard && WARNINGS[choice.guard];
  return [warning, choice.description].filter(Boolean).join(' · ') || undefined;
}

/** A model and a mode are known by their names; "On" says nothing of what is on. */
function shownOf(setting: Setting): string {
  return setting.icon === ICONS['model'] || setting.icon === ICONS['mode'] ? nameOf(setting) : `${setting.name}: ${nameOf(setting)}`;
}

function nameOf(setting: Setting): string {
  return setting.choices.find((choice) => choice.id === setting.current)?.name ?? setting.current ?? setting.name;
}
