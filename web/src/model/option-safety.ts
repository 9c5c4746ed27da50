// How much an option of a request gives away.

import type { PermissionOption } from '../gen/contracts';

/** A rejection can be taken back, a lasting permission cannot. An unknown kind may mean anything, so it comes last. */
const SAFETY: PermissionOption['kind'][] = ['reject_once', 'allow_once', 'reject_always', 'allow_always', 'other'];
const RISKY: ReadonlySet<PermissionOption['kind']> = new Set<PermissionOption['kind']>(['allow_always', 'other']);

export function safest(options: readonly PermissionOption[]): PermissionOption | undefined {
  return [...options].sort((one, other) => rank(one) - rank(other))[0];
}

/** A risky option never looks like the recommended one. */
export function isRisky({ kind }: PermissionOption): boolean {
  return RISKY.has(kind) || rank({ kind }) === SAFETY.length;
}

export function isRejection({ kind }: PermissionOption): boolean {
  return kind === 'reject_once' || kind === 'reject_always';
}

/** What Enter in the reason's field chooses. */
export function mildestRejection(options: readonly PermissionOption[]): PermissionOption | undefined {
  return safest(options.filter(isRejection));
}

function rank({ kind }: Pick<PermissionOption, 'kind'>): number {
  const at = SAFETY.indexOf(kind);
  return at < 0 ? SAFETY.length : at;
}
