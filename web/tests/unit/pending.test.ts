import { describe, expect, it } from 'vitest';
import type { Approval } from '../../src/gen/contracts';
import { pendingRequests } from '../../src/model/pending';
import type { ItemOf } from '../../src/model/session-log';
import { permission, SESSION } from './support/frames';

const approval = (itemId: string, sessionId = SESSION): Approval => ({ id: itemId, sessionId, item: permission(itemId) });
const loaded = { id: 'here', turnId: 't1', state: permission('here') } as ItemOf<'permission'>;

describe('requests that wait', () => {
  it.each<[string, string[], string[], Approval[]]>([
    ['those of loaded items', ['here'], ['here'], [approval('here')]],
    ['one that is older than what is loaded, behind the others', ['here', 'old'], ['here', 'old'], [approval('old')]],
    ['none that was answered meanwhile', ['here'], ['here'], [approval('old')]],
    ['none of another session', ['here'], ['here', 'old'], [approval('old', 'other')]],
    ['none that only the session knows', ['here'], ['here', 'old'], []],
    ['none twice', ['here'], ['here', 'loaded'], [approval('loaded')]],
  ])('are %s', (_, expected, pending, approvals) => {
    const found = pendingRequests({ sessionId: SESSION, view: { pending }, loaded: [loaded], isLoaded: (id) => ['here', 'loaded'].includes(id), approvals });
    expect(found.map((item) => item.id)).toEqual(expected);
  });

  it('are the same list while nothing is missing', () => {
    const all = [loaded];
    expect(pendingRequests({ sessionId: SESSION, view: undefined, loaded: all, isLoaded: () => true, approvals: [] })).toBe(all);
  });
});
