/** Marks words in what is on screen, without touching its elements. Browsers without highlights show none. */
const NAME = 'find';

export function markWords(query: string): void {
  if (!('highlights' in CSS)) return;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const root = document.querySelector('.pane.shown .transcript');
  CSS.highlights.delete(NAME);
  if (!root || words.length === 0) return;
  const ranges = textsIn(root).flatMap((node) => words.flatMap((word) => rangesIn(node, word)));
  CSS.highlights.set(NAME, new Highlight(...ranges));
}

export function clearMarks(): void {
  if ('highlights' in CSS) CSS.highlights.delete(NAME);
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
