/** Marks words in what is on screen, without touching its elements. Browsers without highlights show none. */
const NAME = 'find';
const CURRENT = 'find-current';

/** Marks all occurrences, and those of one item differently; returns the first of these. */
export function markWords(query: string, itemId?: string): Range | undefined {
  if (!('highlights' in CSS)) return undefined;
  clearMarks();
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const root = document.querySelector('.pane.shown .transcript');
  if (!root || words.length === 0) return undefined;
  const current = elementOf(root, itemId);
  const ranges = textsIn(root).flatMap((node) => words.flatMap((word) => rangesIn(node, word)));
  const [inside, outside] = [ranges.filter((range) => current?.contains(range.startContainer)), ranges.filter((range) => !current?.contains(range.startContainer))];
  CSS.highlights.set(NAME, new Highlight(...outside));
  CSS.highlights.set(CURRENT, new Highlight(...inside));
  return inside.find((range) => range.getClientRects().length > 0);
}

export function clearMarks(): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete(NAME);
  CSS.highlights.delete(CURRENT);
}

/** The card inside a row, or the whole row. */
function elementOf(root: Element, itemId: string | undefined): Element | null {
  if (itemId === undefined) return null;
  const id = CSS.escape(itemId);
  return root.querySelector(`[data-item="${id}"]`) ?? root.querySelector(`[data-key="${id}"]`);
}

function textsIn(root: Element): Text[] {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) found.push(walker.currentNode as Text);
  return found;
}

function rangesIn(node: Text, word: string): Range[] {
  const text = node.data.toLowerCase();
  const found: Range[] = [];
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
    const range = document.createRange();
    range.setStart(node, at);
    range.setEnd(node, at + word.length);
    found.push(range);
  }
  return found;
}
