/** How a test fails by a figure of the page: its samples are kept for `./x bench --check` and compared with their limit. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { judge, limitOf, type Unit } from './limits';
import { repository, target } from './place';

const LIMITS = join(repository, 'bench/limits.toml');

/** Records a figure of a group and fails if it exceeds its limit in `bench/limits.toml`, or has none. */
export function gate(group: string, figure: string, unit: Unit, samples: readonly number[]): void {
  record(group, figure, unit, samples);
  const limit = limitOf(readFileSync(LIMITS, 'utf8'), group, figure);
  const { value, most } = judge(figure, unit, samples, limit);
  console.log(`${group}.${figure}: ${limit.judged} ${value.toFixed(1)} ${unit} (aim ${limit.aim})`);
  expect(value, `${group}.${figure}: ${limit.judged} of ${samples.map((sample) => sample.toFixed(1)).join(', ')} ${unit}`).toBeLessThanOrEqual(most);
}

/** In the form in which tests written in Rust record theirs. */
function record(group: string, figure: string, unit: Unit, samples: readonly number[]): void {
  const folder = join(target, 'figures', group);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${figure}.json`), JSON.stringify({ figure, unit, samples }));
}
