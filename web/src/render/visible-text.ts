// Makes characters visible that deceive the eye: what is approved must be what is read.

export type TextPiece = {
  readonly text: string;
  /** "U+202E": a character that hides, or turns what follows. */
  readonly hidden?: string;
  /** Shown instead of white space that would not be noticed: "⇥" for a tab, "··" for two spaces at a line's end. */
  readonly mark?: string;
};

/** Controls but for tab and line ends; direction marks; zero width; tags; fillers that look like nothing. */
const HIDDEN =
   
  /[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Everything without a glyph of its own, and every space but the plain one, so that nothing on a line can be overlooked. */
const WITHOUT_GLYPH = String.raw`[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}`;
/** Padding that moves what follows out of sight. */
const PADDING = 16;
const NOTABLE = new RegExp(String.raw`\t+|\r$| +$| {${PADDING},}|${WITHOUT_GLYPH}`, 'gu');

export function visiblePieces(text: string): TextPiece[] {
  return piecesOf(text, HIDDEN, (found, index) => (isLineEnd(text, index) ? undefined : { text: found, hidden: codePoint(found) }));
}

/** One line of what will run or be written, without its line feed. */
export function visibleLine(line: string): TextPiece[] {
  const end = line.length;
  return piecesOf(line, NOTABLE, (found, index) => {
    if (found.startsWith('\t')) return { text: found, mark: '⇥\t'.repeat(found.length) };
    if (found === '\r' && index === end - 1) return { text: found, mark: '␍' };
    if (!found.startsWith(' ')) return { text: found, hidden: codePoint(found) };
    return { text: found, mark: spaces(found.length, index + found.length === end) };
  });
}

function spaces(count: number, isAtEnd: boolean): string {
  return isAtEnd && count < PADDING ? '·'.repeat(count) : `‹${count} spaces›`;
}

function piecesOf(text: string, pattern: RegExp, pieceOf: (found: string, index: number) => TextPiece | undefined): TextPiece[] {
  const pieces: TextPiece[] = [];
  let from = 0;
  for (const match of text.matchAll(pattern)) {
    const piece = pieceOf(match[0], match.index);
    if (!piece) continue;
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) });
    pieces.push(piece);
    from = match.index + match[0].length;
  }
  if (from < text.length) pieces.push({ text: text.slice(from) });
  return pieces;
}

function isLineEnd(text: string, index: number): boolean {
  return text.charAt(index) === '\r' && text.charAt(index + 1) === '\n';
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
