/** A page of another server on this machine, which tries everything that a page can do to ours, and reports what it saw. */
const { target, session, project } = Object.fromEntries(new URL(location.href).searchParams);

/** How long a page waits for what browsers tell nobody, in milliseconds. */
const PATIENCE = 2000;

const of = (path) => `${target}${path}`;
const create = JSON.stringify({ cliType: 'demo', projectDir: project });
const send = `/api/session/${session}/send`;

async function fetched(path, options = {}) {
  try {
    const answer = await fetch(of(path), { credentials: 'include', ...options });
    return answer.type === 'opaque' ? 'unreadable' : `readable: ${answer.status} ${await answer.text()}`;
  } catch {
    return 'refused';
  }
}

/** What a page may post without being asked whether it may. */
function simple(path, type, body) {
  return fetched(path, { method: 'POST', mode: 'no-cors', headers: { 'Content-Type': type }, body });
}

function json(path, method, headers = {}) {
  return fetched(path, { method, headers: { 'Content-Type': 'application/json', ...headers }, body: create });
}

function multipart(path) {
  const body = new FormData();
  body.append('cliType', 'demo');
  return fetched(path, { method: 'POST', mode: 'no-cors', body });
}

/** The first of these to come; nothing of it if none does. */
function first(on, events) {
  return new Promise((resolve) => {
    setTimeout(() => resolve(undefined), PATIENCE);
    for (const name of events) on.addEventListener(name, () => resolve(name), { once: true });
  });
}

async function socket(protocols) {
  const opened = new WebSocket(of('/ws').replace('http', 'ws'), protocols);
  return await first(opened, ['open', 'error', 'close']) === 'open' ? 'readable' : 'refused';
}

async function events(path) {
  const source = new EventSource(of(path), { withCredentials: true });
  const seen = await first(source, ['open', 'message', 'hello', 'error']);
  source.close();
  return seen === 'error' ? 'refused' : `readable: ${seen}`;
}

function element(name, attributes) {
  const made = Object.assign(document.createElement(name), attributes);
  document.body.append(made);
  return made;
}

async function loaded(name, attributes) {
  return await first(element(name, attributes), ['load', 'error']) === 'load' ? 'loaded' : 'refused';
}

async function framed(begin) {
  const frame = element('iframe', { name: 'target' });
  const seen = first(frame, ['load', 'error']);
  begin(frame);
  await seen;
  try {
    return `readable: ${frame.contentWindow.document.body.innerText}`;
  } catch {
    return 'unreadable';
  } finally {
    frame.remove();
  }
}

/** Its one field is named so that the text which is sent is JSON. */
function form(path) {
  return framed(() => {
    const made = element('form', { method: 'POST', action: of(path), enctype: 'text/plain', target: 'target' });
    made.append(Object.assign(document.createElement('input'), { name: `${create.slice(0, -1)},"x":"`, value: '"}' }));
    made.submit();
  });
}

const attempts = {
  'a fetch': () => fetched('/api/projects'),
  'an opaque fetch': () => fetched('/api/projects', { mode: 'no-cors' }),
  'text by fetch': () => simple('/api/session/create', 'text/plain', create),
  'fields by fetch': () => simple('/api/session/create', 'application/x-www-form-urlencoded', 'cliType=demo'),
  'parts by fetch': () => multipart('/api/session/create'),
  'a message as text': () => simple(send, 'text/plain', '{"message":"from another page"}'),
  'JSON by fetch': () => json('/api/session/create', 'POST'),
  'JSON with a guessed key': () => json('/api/session/create', 'POST', { 'X-Liminal-Key': 'guessed' }),
  'another method': () => json('/api/ui-state', 'PUT'),
  'a form': () => form('/api/session/create'),
  'a form to log in': () => form('/auth/exchange'),
  'a stream of events': () => events(`/api/session/${session}/upserts`),
  'a socket': () => socket([]),
  'a socket of our protocol': () => socket(['liminal.v1']),
  'a socket with a guessed key': () => socket(['liminal.v1', 'key.guessed']),
  'a frame': () => framed((frame) => { frame.src = of('/'); }),
  'a script': () => loaded('script', { src: of('/api/projects') }),
  'an image': () => loaded('img', { src: of('/favicon.svg') }),
  'a beacon': async () => (navigator.sendBeacon(of('/api/session/create'), new Blob([create], { type: 'text/plain' })) ? 'unreadable' : 'refused'),
};

const seen = {};
for (const [name, attempt] of Object.entries(attempts)) seen[name] = await attempt();
await fetch('/report', { method: 'POST', body: JSON.stringify(seen) });
