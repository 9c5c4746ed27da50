/** Compares the clauses of the requirements with the steps of a run. Knows neither Playwright nor files. */

/** A step of a test that is named after a clause. */
export interface ClauseStep {
  id: string;
  test: string;
  hasPassed: boolean;
  /** How many assertions it made. */
  assertions: number;
}

export interface Coverage {
  tested: string[];
  notTested: string[];
  /** Why the run fails, if it does. */
  problems: string[];
}

type Texts = Readonly<Partial<Record<string, string>>>;

/** The id of a clause at the beginning of a step's title. */
export function clauseOf(title: string): string | undefined {
  return /^(\d+[a-z]): /.exec(title)?.[1];
}

export function coverage(clauses: Texts, reasons: Texts, steps: readonly ClauseStep[]): Coverage {
  const asserted = new Set(steps.filter((step) => step.hasPassed && step.assertions > 0).map((step) => step.id));
  const [tested, notTested] = [true, false].map((wanted) => Object.keys(clauses).filter((id) => asserted.has(id) === wanted)) as [string[], string[]];
  const problems = [
    ...steps.filter((step) => !(step.id in clauses)).map((step) => `${step.id} is no clause, but a step of “${step.test}”`),
    ...steps.filter((step) => step.hasPassed && step.assertions === 0).map((step) => `${step.id} asserts nothing in “${step.test}”`),
    ...Object.keys(reasons).filter((id) => !(id in clauses)).map((id) => `${id} has a reason not to be tested, but is no clause`),
    ...notTested.filter((id) => !reasons[id]).map((id) => `${id} is asserted by no test, and has no reason in NOT_TESTED: ${clauses[id]}`),
    ...tested.filter((id) => id in reasons).map((id) => `${id} is asserted by a test, so remove it from NOT_TESTED: ${reasons[id]}`),
  ];
  return { tested, notTested, problems: [...new Set(problems)] };
}

/** Whether Playwright was asked for all tests: words behind its command choose some of them. */
export function isWholeRun(words: readonly string[]): boolean {
  return words.length === 1 && words[0] === 'test';
}
