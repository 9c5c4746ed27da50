// @vitest-environment jsdom
import { fireEvent, render, screen } from '@solidjs/testing-library';
import { describe, expect, test, vi } from 'vitest';
import type { SearchResults } from '../../src/gen/contracts';
import { api } from '../../src/state/services';
import { Palette } from '../../src/ui/dialogs/Palette';

HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) { this.open = true; };
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) { this.open = false; };

describe('search', () => {
  const found = (elsewhere?: number): SearchResults => ({ hits: [], ...(elsewhere === undefined ? {} : { elsewhere }) });
  const look = async (words: string): Promise<void> => {
    const before = search.mock.calls.length;
    fireEvent.input(screen.getByTestId('palette-input'), { target: { value: words } });
    await vi.waitFor(() => expect(search.mock.calls.length).toBe(before + 1));
    await Promise.allSettled(search.mock.results.map(({ value }) => value as Promise<unknown>));
  };
  const note = (): string | null | undefined => screen.queryByTestId('search-elsewhere')?.textContent;
  const search = vi.spyOn(api, 'search');

  test('says of how many sessions it knows nothing, and nothing if there are none', async () => {
    render(() => <Palette />);
    expect(note()).toBeUndefined();
    search.mockResolvedValue(found(3));
    await look('zebra');
    expect(note()).toBe('3 sessions on other servers were not searched');
    search.mockResolvedValue(found(1));
    await look('zebras');
    expect(note()).toBe('One session on another server was not searched');
    for (const none of [found(), found(0)]) {
      search.mockResolvedValue(none);
      await look(`none${String(none.elsewhere)}`);
      expect(note()).toBeUndefined();
    }
    search.mockResolvedValue(found(2));
    await look('zebra');
    fireEvent.input(screen.getByTestId('palette-input'), { target: { value: '' } });
    expect(note()).toBeUndefined();
  });

  test('says how much is not indexed yet', async () => {
    render(() => <Palette />);
    const rest = (): string | null | undefined => screen.queryByTestId('search-not-indexed')?.textContent;
    search.mockResolvedValue({ hits: [], notIndexed: 1200 });
    await look('zebra');
    expect(rest()).toBe('1,200 items are not indexed yet');
    search.mockResolvedValue({ hits: [], notIndexed: 1 });
    await look('zebras');
    expect(rest()).toBe('1 item is not indexed yet');
    search.mockResolvedValue({ hits: [] });
    await look('none');
    expect(rest()).toBeUndefined();
  });
});
