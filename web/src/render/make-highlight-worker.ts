// Starts the worker that colours code. The page's policy takes the address of a script only from a policy object.

import address from './highlight.worker?worker&url';
import type { WorkerLike } from './highlight';

type ScriptPolicy = { createScriptURL(address: string): unknown };
type PolicyFactory = { createPolicy(name: string, rules: ScriptPolicy): ScriptPolicy };

export function makeHighlightWorker(): WorkerLike {
  const { trustedTypes } = globalThis as unknown as { trustedTypes?: PolicyFactory };
  policy ??= trustedTypes?.createPolicy('liminal-worker', { createScriptURL: own });
  const url = policy ? policy.createScriptURL(address) : address;
  return new Worker(url as string, { type: 'module' }) as unknown as WorkerLike;
}

let policy: ScriptPolicy | undefined;

function own(asked: string): string {
  if (asked !== address) throw new TypeError('only the page’s own worker may be started');
  return asked;
}
