import { describe, expect, it } from 'vitest';
import { memoryStorage } from '../../src/protocol/environment';
import { type Api, ApiProblem, codeOf, createApi, Unreachable } from '../../src/protocol/http';

type Seen = { url: string; method: string; headers: Record<string, string>; body: unknown; credentials: string | undefined };

function setUp(answer: () => Response | Promise<Response> = () => Response.json({}), base = 'http://h/tools/lb/') {
  const seen: Seen[] = [];
  const storage = memoryStorage();
  const api = createApi({
    base, storage,
    fetch: async (url, init) => {
      const headers = init.headers as Record<string, string>;
      const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
      seen.push({ url: url.replace(base, '/'), method: init.method ?? '', headers, body, credentials: init.credentials });
      return answer();
    },
  });
  return { api, seen, storage };
}

const ID = 'claude-code:a/b';
const S = '/api/session/claude-code%3Aa%2Fb';

describe('routes', () => {
  it.each<[string, string, (api: Api) => Promise<unknown>, unknown?]>([
    ['GET', '/api/meta', (api) => api.meta()],
    ['GET', '/api/agents', (api) => api.agents()],
    ['GET', '/api/projects', (api) => api.projects()],
    ['POST', '/api/projects', (api) => api.addProject({ path: '/x' }), { path: '/x' }],
    ['DELETE', '/api/projects/p', (api) => api.removeProject('p')],
    ['POST', '/api/projects/p/trust', (api) => api.trustProject('p', true), { trusted: true }],
    ['GET', '/api/projects/p/files?q=a+b', (api) => api.projectFiles('p', 'a b')],
    ['GET', '/api/fs/complete?path=%2Fh', (api) => api.completeDirectory('/h')],
    ['GET', '/api/session/list?projectId=p&archived=true&limit=5', (api) => api.sessions({ projectId: 'p', archived: true, limit: 5 })],
    ['POST', '/api/session/create', (api) => api.createSession({ cliType: 'c', projectDir: '/x' }), { cliType: 'c', projectDir: '/x' }],
    ['POST', `${S}/load`, (api) => api.loadSession(ID)],
    ['GET', `${S}/status`, (api) => api.sessionStatus(ID)],
    ['POST', `${S}/send`, (api) => api.send(ID, { message: 'm' }), { message: 'm' }],
    ['POST', `${S}/cancel`, (api) => api.cancel(ID)],
    ['POST', `${S}/kill`, (api) => api.kill(ID)],
    ['POST', `${S}/configure`, (api) => api.configure(ID, { model: 'm' }), { model: 'm' }],
    ['POST', `${S}/title`, (api) => api.rename(ID, 't'), { title: 't' }],
    ['POST', `${S}/seen`, (api) => api.markSeen(ID)],
    ['POST', `${S}/queue/resume`, (api) => api.resumeQueue(ID)],
    ['POST', `${S}/archive`, (api) => api.archive(ID)],
    ['POST', `${S}/unarchive`, (api) => api.unarchive(ID)],
    ['DELETE', S, (api) => api.deleteSession(ID)],
    ['GET', `${S}/queue`, (api) => api.queue(ID)],
    ['PATCH', `${S}/queue/q`, (api) => api.editQueued(ID, 'q', { position: 0 }), { position: 0 }],
    ['DELETE', `${S}/queue/q`, (api) => api.removeQueued(ID, 'q')],
    ['POST', `${S}/queue/q/now`, (api) => api.sendQueuedNow(ID, 'q')],
    ['GET', `${S}/history?before=7&limit=2`, (api) => api.history(ID, { before: 7, limit: 2 })],
    ['GET', `${S}/history`, (api) => api.history(ID)],
    ['GET', `${S}/items/t%2F1/output`, (api) => api.output(ID, 't/1')],
    ['GET', `${S}/export?format=md`, (api) => api.exportSession(ID, 'md')],
    ['GET', '/api/approvals', (api) => api.approvals()],
    ['POST', '/api/approvals/x', (api) => api.answer('x', { optionId: 'o' }), { optionId: 'o' }],
    ['GET', '/api/search?q=w&sessionId=s', (api) => api.search({ q: 'w', sessionId: 's' })],
    ['GET', '/api/ui-state', (api) => api.readUiState()],
    ['PUT', '/api/ui-state', (api) => api.writeUiState({ a: 1 }), { a: 1 }],
  ])('%s %s', async (method, url, call, body) => {
    const { api, seen } = setUp();
    await call(api);
    expect(seen).toMatchObject([{ method, url, body, credentials: 'same-origin' }]);
    expect(seen[0]?.headers['Content-Type']).toBe(body === undefined ? undefined : 'application/json');
  });
});

describe('the key', () => {
  it('comes from a code, is kept, and goes with every request', async () => {
    const { api, seen, storage } = setUp(() => Response.json({ key: 'k' }));
    storage.set('liminal:key', 'old');
    await api.exchange('once');
    expect(seen[0]).toMatchObject({ url: '/auth/exchange', body: { code: 'once' } });
    expect(seen[0]?.headers).not.toHaveProperty('X-Liminal-Key');
    await api.meta();
    expect(seen[1]?.headers['X-Liminal-Key']).toBe('k');
    expect(createApi({ base: 'http://h/', storage, fetch: () => Promise.reject(new Error()) }).key()).toBe('k');
    api.forgetKey();
    expect(api.key()).toBeUndefined();
  });

  it.each([['#c=abc', 'abc'], ['#c=a%2Bb', 'a+b'], ['#c=', undefined], ['', undefined], ['#item', undefined]])('is offered by %s', (hash, code) => {
    expect(codeOf(hash)).toBe(code);
  });

  it.each([[200, 'granted'], [401, 'refused'], [500, 'unreachable']])('is judged by %i', async (status, access) => {
    expect(await setUp(() => new Response('{}', { status })).api.checkAccess()).toBe(access);
  });
});

describe('failures', () => {
  it('of the server carry its problem', async () => {
    const problem = { type: 'about:blank', title: 'exists', status: 409, code: 'PROJECT_EXISTS', detail: 'it is there' };
    const error = await setUp(() => Response.json(problem, { status: 409 })).api.addProject({ path: '/x' }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiProblem);
    expect(error).toMatchObject({ code: 'PROJECT_EXISTS', status: 409, message: 'it is there' });
  });

  it('of something in between get a code too', async () => {
    const { api } = setUp(() => new Response('<html>', { status: 502 }));
    await expect(api.meta()).rejects.toMatchObject({ name: 'ApiProblem', status: 502, code: 'INTERNAL' });
  });

  it('of the network are told apart, and a cancelled request from both', async () => {
    const { api } = setUp(() => Promise.reject(new TypeError('failed')));
    await expect(api.meta()).rejects.toBeInstanceOf(Unreachable);
    const signal = AbortSignal.abort();
    await expect(api.search({ q: 'x' }, { signal })).rejects.toBeInstanceOf(TypeError);
    expect(await api.isHealthy()).toBe(false);
  });
});

describe('output', () => {
  it('is read whole or in part, and tells how much there is', async () => {
    const whole = setUp(() => new Response('héllo', { headers: { 'Content-Length': '6' } }));
    expect(await whole.api.output('s', 'i')).toEqual({ text: 'héllo', total: 6 });
    const part = setUp(() => new Response('lo', { status: 206, headers: { 'Content-Range': 'bytes 4-5/6', 'Content-Length': '2' } }));
    expect(await part.api.output('s', 'i', { from: 4 })).toEqual({ text: 'lo', total: 6 });
    expect(part.seen[0]?.headers['Range']).toBe('bytes=4-');
  });
});
