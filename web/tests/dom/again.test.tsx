import { fireEvent, render, screen } from '@solidjs/testing-library';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { Attachment, Upsert } from '../../src/gen/contracts';
import { filesOf, takeFiles } from '../../src/state/files';
import { api, draftFiles, drafts, outbox } from '../../src/state/services';
import { Composer } from '../../src/ui/composer/Composer';
import { sendAgain } from '../../src/ui/composer/again';
import { UserRow } from '../../src/ui/rows/MessageRows';
import { ErrorRow } from '../../src/ui/rows/SmallRows';
import { fakeSession, ID, item } from './session';

const shot: Attachment = { id: 'a1', name: 'shot.txt', mimeType: 'text/plain', bytes: 2000 };
const log: Attachment = { id: 'a2', name: 'build.log', mimeType: 'text/plain', bytes: 10 };
const remembered: Attachment = { name: 'old.txt', mimeType: 'text/plain', bytes: 5 };

const said = (content: string, ...attachments: Attachment[]): Upsert => item({ itemId: 'u1', status: 'complete', type: 'message', origin: 'user', content, attachments } as never);

describe('a message once more', () => {
  const send = vi.spyOn(outbox, 'send');
  const detach = vi.spyOn(api, 'detach');
  beforeEach(() => {
    send.mockReset().mockReturnValue('id');
    detach.mockReset().mockResolvedValue();
    drafts.clear(ID);
    takeFiles(ID);
  });

  const show = (content: string, ...files: Attachment[]) => {
    const fake = fakeSession();
    fake.tell(said(content, ...files));
    const row = fake.session.projection().rows[0];
    if (row?.kind !== 'user') throw new Error('no message is shown');
    render(() => (
      <>
        <UserRow row={row} session={fake.session} />
        <ErrorRow row={{ kind: 'error', key: 'e', turnId: 't1', code: 'MODEL', message: 'it broke', usage: undefined }} session={fake.session} />
        <Composer session={fake.session} isShown={true} onSent={() => undefined} />
      </>
    ));
  };
  const edit = (): void => void fireEvent.click(screen.getByRole('button', { name: 'Edit and send again' }));
  const chips = (): (string | undefined)[] => screen.queryAllByTestId('file').map((chip) => chip.dataset['name']);
  const sent = (): unknown[] => send.mock.calls.map(([, text, files]) => [text, files?.map(({ id }) => id)]);

  test('is edited with its files, each once, and sent with those that are left', () => {
    show('look', shot, log);
    edit();
    edit();
    expect(screen.getByTestId<HTMLTextAreaElement>('composer-input').value).toBe('look');
    expect(chips()).toEqual(['shot.txt', 'build.log']);
    expect(draftFiles.get(ID)).toHaveLength(2);
    fireEvent.click(screen.getByRole('button', { name: 'Remove shot.txt' }));
    expect(chips()).toEqual(['build.log']);
    fireEvent.click(screen.getByTestId('send'));
    expect(sent()).toEqual([['look', ['a2']]]);
    // The message before has it still.
    expect(detach).not.toHaveBeenCalled();
  });

  test('is tried again with its files', () => {
    show('look', shot, log);
    fireEvent.click(screen.getByTestId('retry'));
    expect(sent()).toEqual([['look', ['a1', 'a2']]]);
    expect(chips()).toEqual([]);
  });

  test('is tried again if it was a file alone', () => {
    show('', shot);
    fireEvent.click(screen.getByTestId('retry'));
    expect(sent()).toEqual([['', ['a1']]]);
  });

  test('that lacks a file is not sent without it', () => {
    show('look', shot, remembered);
    fireEvent.click(screen.getByTestId('retry'));
    expect(send).not.toHaveBeenCalled();
    expect(screen.getByTestId<HTMLTextAreaElement>('composer-input').value).toBe('look');
    expect(chips()).toEqual(['shot.txt']);
    expect(screen.getByTestId('file-problem').textContent).toBe('Only the agent has old.txt: attach it again');
  });

  test('takes no more files along than a message may have', () => {
    const many = Array.from({ length: 8 }, (_, index): Attachment => ({ ...shot, id: `m${index}` }));
    sendAgain(ID, { text: '', files: [...many, remembered] });
    show('look', ...Array.from({ length: 3 }, (_, index): Attachment => ({ ...log, id: `l${index}` })));
    edit();
    expect(filesOf(ID)()).toHaveLength(10);
    expect(screen.getByTestId('file-problem').textContent).toContain('at most 10 files');
  });
});
