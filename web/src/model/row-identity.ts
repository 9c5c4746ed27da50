// Keeps rows the same objects as long as they say the same, so that nothing that shows them is touched.

import type { Row } from './row-types';

/** The earlier value if it says the same. Arrays in it are compared by their elements. */
export function kept<T extends object>(earlier: T | undefined, later: T): T {
  if (!earlier) return later;
  const fields = later as Record<string, unknown>;
  const others = earlier as Record<string, unknown>;
  const keys = Object.keys(fields);
  if (keys.length !== Object.keys(others).length) return later;
  return keys.every((key) => isSame(fields[key], others[key])) ? earlier : later;
}

/** The earlier array if it has the same elements. */
export function keptArray<T>(earlier: readonly T[] | undefined, later: readonly T[]): readonly T[] {
  return earlier && isSame(earlier, later) ? earlier : later;
}

/** All rows by key, with those inside of others. */
export function indexRows(rows: readonly Row[], into = new Map<string, Row>()): Map<string, Row> {
  for (const row of rows) {
    into.set(row.key, row);
    if (row.kind === 'tool') indexRows(row.children, into);
    if (row.kind === 'fold') indexRows(row.tools, into);
  }
  return into;
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!Array.isArray(left) || !Array.isArray(right)) return false;
  return left.length === right.length && left.every((element, index) => element === right[index]);
}
