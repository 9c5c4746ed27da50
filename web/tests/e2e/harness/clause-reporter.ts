/** Reads from a run which clauses of the requirements were asserted, and fails a whole run that differs from the list of them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestStep } from '@playwright/test/reporter';
import { CLAUSES, NOT_TESTED } from '../../clauses';
import { clauseOf, type ClauseStep, coverage, isWholeRun } from './clause-coverage';
import { target } from './place';

const REPORT = join(target, 'e2e-clauses.json');

export default class ClauseReporter implements Reporter {
  private suite: Suite | undefined;

  onBegin(_config: FullConfig, suite: Suite): void {
    this.suite = suite;
  }

  async onEnd(result: FullResult): Promise<{ status?: FullResult['status'] } | undefined> {
    const steps = (this.suite?.allTests() ?? []).flatMap(stepsOf);
    mkdirSync(dirname(REPORT), { recursive: true });
    writeFileSync(REPORT, JSON.stringify(steps, undefined, 1));
    if (!isWholeRun(process.argv.slice(2))) return tell('clauses: not compared with the requirements, because not all tests were asked for');
    if (result.status !== 'passed') return tell('clauses: not compared with the requirements, because tests failed');
    const { tested, notTested, problems } = coverage(CLAUSES, NOT_TESTED, steps);
    tell(`clauses: ${tested.length} of the requirements are tested, ${notTested.length} are not`);
    for (const problem of problems) tell(`clauses: ${problem}`);
    return problems.length > 0 ? { status: 'failed' } : undefined;
  }
}

function tell(line: string): undefined {
  console.log(line);
}

/** The steps of the last try that are named after clauses, however deep. */
function stepsOf(test: TestCase): ClauseStep[] {
  const all = (steps: readonly TestStep[]): TestStep[] => steps.flatMap((step) => [step, ...all(step.steps)]);
  return all(test.results.at(-1)?.steps ?? []).flatMap((step) => {
    const id = step.category === 'test.step' ? clauseOf(step.title) : undefined;
    const assertions = all(step.steps).filter(({ category }) => category === 'expect').length;
    return id === undefined ? [] : [{ id, test: test.title, hasPassed: !step.error, assertions }];
  });
}
