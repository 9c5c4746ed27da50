// Where a new item stands. Items of a history come in order but without numbers; those told later have the `seq` of their
// first state. A number up to that of the history therefore belongs in front of it: it is older than the window.

import type { ItemId } from '../gen/contracts';

export type Place = {
  /** The `seq` of the first state, where it is known. */
  readonly firstSeq: number | undefined;
  /** `history`: its place was given by a list. `stray`: older than the list that is held. */
  readonly from: 'history' | 'live' | 'stray';
};

export function placeOf(firstSeq: number | undefined, historySeq: number): Place {
  const isOlder = firstSeq !== undefined && firstSeq <= historySeq;
  return { firstSeq, from: isOlder ? 'stray' : 'live' };
}

/** The order with the item in it, as a new array. */
export function inserted(
  order: readonly ItemId[], id: ItemId, place: Place, of: (id: ItemId) => Place | undefined,
): ItemId[] {
  const index = place.from === 'stray' ? strayIndex(order, place, of) : liveIndex(order, place, of);
  return order.toSpliced(index, 0, id);
}

function strayIndex(order: readonly ItemId[], place: Place, of: (id: ItemId) => Place | undefined): number {
  const index = order.findIndex((id) => {
    const other = of(id);
    return other?.from !== 'stray' || (other.firstSeq ?? 0) > (place.firstSeq ?? 0);
  });
  return index < 0 ? order.length : index;
}

// From the end, because nearly every new item is the newest.
function liveIndex(order: readonly ItemId[], place: Place, of: (id: ItemId) => Place | undefined): number {
  if (place.firstSeq === undefined) return order.length;
  let index = order.length;
  while (index > 0) {
    const other = of(order[index - 1] ?? '');
    if (other?.from !== 'live' || other.firstSeq === undefined || other.firstSeq <= place.firstSeq) break;
    index -= 1;
  }
  return index;
}

/** The order with the items of a page in front of one of it, or of all. Those that stood elsewhere move there. */
export function insertedBefore(order: readonly ItemId[], page: readonly ItemId[], next: ItemId | undefined): ItemId[] {
  const moving = new Set(page);
  const staying = order.filter((id) => !moving.has(id));
  return staying.toSpliced(Math.max(0, staying.indexOf(next ?? '')), 0, ...moving);
}
