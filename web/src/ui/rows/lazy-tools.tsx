/** Tools' bodies and counts, loaded when the first one is needed. */
import { type ComponentProps, lazy, Show, Suspense } from 'solid-js';
import type { Diff } from '../../gen/contracts';
import type { ToolRow } from '../../model/rows';
import type { OpenSession } from '../../state/session';
import { fetchPart } from '../fetch-part';

const parts = (): Promise<typeof import('./tool-parts')> => fetchPart(() => import('./tool-parts'));
const Body = lazy(async () => ({ default: (await parts()).ToolBody }));
const Counts = lazy(async () => ({ default: (await parts()).ToolCounts }));

const Request = lazy(async () => ({ default: (await parts()).RequestInput }));

/** Reports nothing until it is there: what has not been loaded has not been read. */
export function LazyRequestInput(props: ComponentProps<typeof import('./tool-parts')['RequestInput']>) {
  return <Suspense fallback={<p class="part" aria-busy="true"><span class="spinner" /></p>}><Request {...props} /></Suspense>;
}

export function LazyToolBody(props: { row: ToolRow; session: OpenSession }) {
  return <Suspense fallback={<p class="part" aria-busy="true"><span class="spinner" /></p>}><Body row={props.row} session={props.session} /></Suspense>;
}

export function LazyToolCounts(props: { diffs: readonly Diff[] | undefined }) {
  return <Show when={props.diffs?.length}><Suspense><Counts diffs={props.diffs ?? []} /></Suspense></Show>;
}
