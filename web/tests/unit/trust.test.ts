import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/gen/contracts';
import { concerning } from '../../src/model/trust';

const finding = (path: string, agents: string[]): Finding => ({ path, kind: 'setting', detail: 'is loaded by the agent', agents });

describe('concerning', () => {
  const findings = [finding('.env', ['gemini', 'other']), finding('.opencode/agents/a.md', ['opencode'])];
  const paths = (cliType: string): string[] => concerning(findings, cliType).map(({ path }) => path);

  it('keeps what a known agent reads', () => {
    expect(paths('gemini')).toEqual(['.env']);
    expect(paths('opencode')).toEqual(['.opencode/agents/a.md']);
    expect(paths('claude-code')).toEqual([]);
  });

  it('keeps everything for an unknown agent, and nothing for a model API', () => {
    expect(paths('qwen')).toHaveLength(2);
    expect(paths('demo')).toHaveLength(2);
    expect(paths('anthropic')).toEqual([]);
  });
});
