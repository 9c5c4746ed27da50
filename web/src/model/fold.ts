// Folds runs of finished tools that changed nothing into one row.

import type { ToolKind } from '../gen/contracts';
import type { FoldRow, Row, ToolRow } from './row-types';

/** Fewer are as quickly read as their summary. */
const LEAST = 3;

const READ_ONLY: ReadonlySet<ToolKind> = new Set<ToolKind>(['read', 'search', 'fetch']);

export function folded(rows: readonly Row[]): Row[] {
  const out: Row[] = [];
  let run: ToolRow[] = [];
  const close = () => {
    out.push(...(run.length >= LEAST ? [foldRow(run)] : run));
    run = [];
  };
  for (const row of rows) {
    if (isFoldable(row)) run.push(row);
    else {
      close();
      out.push(row);
    }
  }
  close();
  return out;
}

function isFoldable(row: Row): row is ToolRow {
  if (row.kind !== 'tool' || row.status !== 'ok' || row.children.length > 0 || row.permission) return false;
  const { kind, diffs, detached } = row.item.state;
  return kind !== undefined && READ_ONLY.has(kind) && !diffs?.length && !detached;
}

function foldRow(tools: readonly ToolRow[]): FoldRow {
  const [first] = tools;
  return { kind: 'fold', key: `fold:${first?.key}`, turnId: first?.turnId, summary: summary(tools), tools };
}

function summary(tools: readonly ToolRow[]): string {
  const of = (kind: ToolKind) => tools.filter((tool) => tool.item.state.kind === kind);
  const files = fileCount(of('read'));
  const parts = [
    files > 0 ? `read ${files} ${files === 1 ? 'file' : 'files'}` : '',
    timesText('searched', of('search').length),
    timesText('fetched', of('fetch').length),
  ];
  const text = parts.filter((part) => part !== '').join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// A call that does not tell its file counts as one.
function fileCount(tools: readonly ToolRow[]): number {
  const names = tools.flatMap((tool) => {
    const paths = tool.item.state.locations?.map((location) => location.path) ?? [];
    return paths.length > 0 ? paths : [`#${tool.key}`];
  });
  return new Set(names).size;
}

function timesText(verb: string, count: number): string {
  if (count === 0) return '';
  return count === 1 ? `${verb} once` : `${verb} ${count} times`;
}
