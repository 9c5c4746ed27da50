// One HTTP request: the key, the body, the errors.

import type { BrowserKey } from '../gen/contracts';
import type { KeyValueStorage } from './environment';
import { problemOf, Unreachable } from './problems';

export type ApiOptions = {
  /** Addresses are resolved against it: the page's root. */
  readonly base: string;
  readonly storage: KeyValueStorage;
  fetch(url: string, init: RequestInit): Promise<Response>;
};

export type Query = Record<string, string | number | boolean | undefined>;

export type Call = {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly signal?: AbortSignal | undefined;
  /** Without the key: an old one is no reason to refuse a new one. */
  readonly isAnonymous?: boolean;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const KEY = 'liminal:key';

export class Caller {
  constructor(private options: ApiOptions) {}

  key(): string | undefined {
    return this.options.storage.get(KEY);
  }

  keepKey({ key }: BrowserKey): void {
    this.options.storage.set(KEY, key);
  }

  forgetKey(): void {
    this.options.storage.remove(KEY);
  }

  /** The answer; rejects with `ApiProblem`, with `Unreachable`, or with the `AbortError` of the signal. */
  async raw(method: Method, path: string, call: Call = {}): Promise<Response> {
    const response = await this.options.fetch(this.url(path, call.query), this.init(method, call)).catch((error: unknown) => {
      throw call.signal?.aborted ? error : new Unreachable(error);
    });
    if (!response.ok) throw await problemOf(response);
    return response;
  }

  async json<T>(method: Method, path: string, call: Call = {}): Promise<T> {
    const response = await this.raw(method, path, call);
    return await response.json() as T;
  }

  async nothing(method: Method, path: string, call: Call = {}): Promise<void> {
    await this.raw(method, path, call);
  }

  private url(path: string, query: Query = {}): string {
    const url = new URL(path, this.options.base);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }

  private init(method: Method, { body, headers, signal, isAnonymous = false }: Call): RequestInit {
    const key = isAnonymous ? undefined : this.key();
    return {
      method,
      credentials: 'same-origin',
      cache: 'no-store',
      headers: {
        ...(key === undefined ? {} : { 'X-Liminal-Key': key }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    };
  }
}
