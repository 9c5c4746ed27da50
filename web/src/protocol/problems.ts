// What can go wrong between a page and its server over HTTP, as errors to branch on.

import type { Problem } from '../gen/contracts';

/** The server answered with an error: branch on `code`. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  constructor(readonly problem: Problem) {
    super(problem.detail ?? problem.title);
  }

  get code(): Problem['code'] {
    return this.problem.code;
  }

  get status(): number {
    return this.problem.status;
  }
}

/** No answer came. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  constructor(cause: unknown) {
    super('the server cannot be reached', { cause });
  }
}

/** The problem of an answer that is not a success; one is made up for those that a proxy gave. */
export async function problemOf(response: Response): Promise<ApiProblem> {
  const body = await response.json().catch(() => undefined) as Partial<Problem> | undefined;
  if (typeof body?.code === 'string' && typeof body.title === 'string') {
    return new ApiProblem({ type: 'about:blank', status: response.status, ...body } as Problem);
  }
  const code = response.status === 401 ? 'UNAUTHORIZED' : response.status === 404 ? 'NOT_FOUND' : 'INTERNAL';
  return new ApiProblem({ type: 'about:blank', title: `the answer was ${response.status}`, status: response.status, code });
}
