import { describe, expect, test } from 'vitest';
import type { AgentReport } from '../../src/gen/contracts';
import { markOf, remedyOf, shortProblem, usableFirst } from '../../src/model/agents';

const agent = (name: string, more: Partial<AgentReport> = {}): AgentReport => ({ name, state: 'usable', install: `install ${name}`, signIn: `${name} login`, ...more });

describe('what is shown of an agent', () => {
  test.each<[Partial<AgentReport>, string, string | undefined]>([
    [{}, 'ready', undefined],
    [{ loggedIn: true }, 'ready', undefined],
    [{ loggedIn: false }, 'signed-out', 'a login'],
    [{ state: 'detecting' }, 'detecting', undefined],
    [{ state: 'detecting', loggedIn: false }, 'signed-out', 'a login'],
    [{ state: 'missing', problem: 'not installed; install it with: x' }, 'missing', 'install a'],
    [{ state: 'unusable', problem: '/bin/a did not answer `--version` within 20 s; run it by hand to see why' }, 'broken', 'a login'],
  ])('%o is %s', (more, mark, remedy) => {
    expect(markOf(agent('a', more))).toBe(mark);
    expect(remedyOf(agent('a', more))).toBe(remedy);
  });

  test('the way to install an agent is a command beside its problem', () => {
    expect(shortProblem(agent('a', { state: 'missing', problem: 'not installed; install it with: x' }))).toBe('Not installed');
    expect(shortProblem(agent('a', { state: 'unusable', problem: 'too old; update it' }))).toBe('Too old; update it');
    expect(shortProblem(agent('a'))).toBeUndefined();
  });

  test('detection moves no line', () => {
    const before = [agent('a', { state: 'detecting' }), agent('b', { state: 'missing', problem: 'x' }), agent('c', { state: 'detecting' })];
    const after = [agent('a', { loggedIn: false }), agent('b', { state: 'missing', problem: 'x' }), agent('c')];
    const names = (agents: AgentReport[]): string[] => usableFirst(agents).map(({ name }) => name);
    expect(names(before)).toEqual(['a', 'c', 'b']);
    expect(names(after)).toEqual(names(before));
  });
});
