/** Tools' bodies and counts, loaded when the first one is needed. */
import { lazy, Show, Suspense } from 'solid-js';
import type { Diff } from '../../gen/contracts';
import type { ToolRow } from '../../model/rows';
import type { OpenSession } from '../../state/session';
import { fetchPart } from '../fetch-part';

const parts = (): Promise<typeof import('./tool-parts')> => fetchPart(() => import('./tool-parts'));
const Body = lazy(async () => ({ default: (await parts()).ToolBody }));
const Counts = lazy(async () => ({ default: (await parts()).ToolCounts }));

export function LazyToolBody(props: { row: ToolRow; session: OpenSession }) {
  return <Suspense fallback={<p class="part" aria-busy="true"><span class="spinner" /></p>}><Body row={props.row} session={props.session} /></Suspense>;
}

export function LazyToolCounts(props: { diffs: readonly Diff[] | undefined }) {
  return <Show when={props.diffs?.length}><Suspense><Counts diffs={props.diffs ?? []} /></Suspense></Show>;
}
