/** What is missing between a place far back and the newest rows. Fetches it from the side from which it is seen. */
import { createEffect, on, onMount } from 'solid-js';
import type { GapSide } from '../../model/gap';
import type { OpenSession } from '../../state/session';
import { attempt } from '../../state/toasts';

export function GapRow(props: { session: OpenSession }) {
  let row!: HTMLParagraphElement;
  /** Whoever reads on downwards sees it come up from below. */
  const side = (): GapSide => {
    const view = row.closest('.transcript')?.getBoundingClientRect();
    return view && row.getBoundingClientRect().top > view.top + view.height / 2 ? 'older' : 'newer';
  };
  const fetchSome = (): void => {
    if (row.isConnected) attempt('What lies between could not be read', () => props.session.loadGap(side()));
  };
  // As long as it is near the view there is more to fetch, once what came has its place.
  onMount(() => createEffect(on(() => props.session.projection(), () => void requestAnimationFrame(fetchSome))));
  return <p ref={row} class="older" data-testid="gap"><span class="spinner" />Reading what lies between</p>;
}
