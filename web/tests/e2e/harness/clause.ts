/** Marks the assertions of a test as those of clauses of the requirements. */
import { test } from '@playwright/test';
import { CLAUSES, type ClauseId } from '../../clauses';

/** A step of the run's report, by which `clause-reporter.ts` knows that the clause was asserted and holds. */
export function clause<T>(id: ClauseId, holds: () => T | Promise<T>): Promise<T> {
  return test.step(`${id}: ${CLAUSES[id]}`, async () => await holds());
}
