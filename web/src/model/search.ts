// Words about searches.

/** How much a search could not find yet. */
export function notIndexedText(count: number): string {
  return count === 1 ? '1 item is not indexed yet' : `${count.toLocaleString('en-US')} items are not indexed yet`;
}
