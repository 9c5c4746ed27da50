/**
 * An agent that puts hostile text into every field that the protocol has. It is told which field by the prompt; a prompt
 * that names none is failed with its own text as the reason.
 */
import { createInterface } from 'node:readline';
import { PAYLOADS } from './payloads.mjs';

const SESSION = 'hostile-session';
const waiting = new Map();
let nextRequest = 1;
let nextItem = 1;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tell = (update) => write({ method: 'session/update', params: { sessionId: SESSION, update } });
const text = (words) => ({ type: 'text', text: words });
const id = (kind) => `${kind}-${nextItem++}`;

function ask(method, params) {
  const request = nextRequest++;
  write({ id: request, method, params: { sessionId: SESSION, ...params } });
  return new Promise((resolve) => waiting.set(request, resolve));
}

function commands() {
  const availableCommands = PAYLOADS.map((payload, index) => ({ name: `command-${index}`, description: payload, input: { hint: payload } }));
  tell({ sessionUpdate: 'available_commands_update', availableCommands });
}

function call(payload, rest = {}) {
  const toolCallId = id('call');
  tell({ sessionUpdate: 'tool_call', toolCallId, name: payload, title: payload, kind: 'other', status: 'in_progress', rawInput: { query: payload }, ...rest });
  return toolCallId;
}

const done = (toolCallId, rest = {}) => tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...rest });

const SCENES = {
  messages() {
    for (const payload of PAYLOADS) tell({ sessionUpdate: 'agent_message_chunk', messageId: id('message'), content: text(payload) });
  },
  /** Letter by letter: what is half said must be as harmless as what is whole. */
  stream() {
    for (const payload of PAYLOADS) {
      const messageId = id('message');
      for (const letter of payload) tell({ sessionUpdate: 'agent_message_chunk', messageId, content: text(letter) });
    }
  },
  thoughts() {
    for (const payload of PAYLOADS) {
      tell({ sessionUpdate: 'agent_thought_chunk', messageId: id('thought'), content: text(payload) });
      tell({ sessionUpdate: 'agent_message_chunk', messageId: id('message'), content: text('and so on') });
    }
  },
  tools() {
    for (const payload of PAYLOADS) done(call(payload), { content: [{ type: 'content', content: text(payload) }] });
  },
  /** One call with everything in it. */
  body() {
    const toolCallId = call('everything', {
      rawInput: Object.fromEntries(PAYLOADS.map((payload, index) => [`argument ${index} ${payload}`, payload])),
      locations: PAYLOADS.map((payload) => ({ path: `/place/${payload}`, line: 1 })),
    });
    done(toolCallId, { content: [{ type: 'content', content: text(PAYLOADS.join('\n')) }] });
  },
  command() {
    const toolCallId = call('run', { kind: 'execute', rawInput: { command: PAYLOADS.join('; ') } });
    tell({ sessionUpdate: 'tool_call_update', toolCallId, _meta: { terminal_output: { terminal_id: toolCallId, data: PAYLOADS.join('\n') } } });
    done(toolCallId, { _meta: { terminal_exit: { terminal_id: toolCallId, exit_code: 0, signal: null } } });
  },
  diffs() {
    const content = PAYLOADS.map((payload) => ({ type: 'diff', path: `/changed/${payload}`, oldText: `old ${payload}\n`, newText: `new ${payload}\n` }));
    done(call('edit', { kind: 'edit', content, rawInput: {} }));
  },
  plan() {
    tell({ sessionUpdate: 'plan', entries: PAYLOADS.map((content) => ({ content, priority: 'high', status: 'pending' })) });
  },
  title() {
    for (const title of PAYLOADS) tell({ sessionUpdate: 'session_info_update', title });
  },
  async permission() {
    for (const payload of PAYLOADS) {
      const toolCallId = id('call');
      await ask('session/request_permission', {
        toolCall: { toolCallId, title: payload, kind: 'other', status: 'pending', rawInput: { query: payload } },
        options: [{ optionId: 'yes', name: payload, kind: 'allow_once' }, { optionId: 'no', name: 'Refuse', kind: 'reject_once' }],
      });
      done(toolCallId, { status: 'failed' });
    }
  },
  async question() {
    const property = (payload) => ({ type: 'string', title: payload, description: payload, oneOf: [{ const: 'a', title: payload }, { const: 'b', title: 'Other' }] });
    const properties = Object.fromEntries(PAYLOADS.map((payload, index) => [`q${String(index).padStart(2, '0')}`, property(payload)]));
    await ask('elicitation/create', { mode: 'form', message: PAYLOADS[0], requestedSchema: { type: 'object', properties } });
  },
  /** A form that a person would answer; what was answered is said again. */
  async form() {
    const properties = {
      colour: { type: 'string', title: 'Which colour?', oneOf: [{ const: 'r', title: 'Red' }, { const: 'b', title: 'Blue' }] },
      sizes: { type: 'array', title: 'Which sizes?', items: { anyOf: [{ const: 's', title: 'Small' }, { const: 'l', title: 'Large' }] } },
      name: { type: 'string', title: 'Which name?' },
    };
    const answer = await ask('elicitation/create', { mode: 'form', message: 'Some questions', requestedSchema: { type: 'object', properties, required: ['colour'] } });
    tell({ sessionUpdate: 'agent_message_chunk', messageId: id('message'), content: text(`\`${JSON.stringify(answer)}\``) });
  },
};

async function prompt(message, params) {
  const words = params.prompt.map((block) => block.text ?? '').join('');
  const scene = SCENES[words];
  if (!scene) return write({ id: message.id, error: { code: -32603, message: words } });
  await scene();
  write({ id: message.id, result: { stopReason: 'end_turn' } });
}

const ANSWERS = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'hostile', title: PAYLOADS[0], version: PAYLOADS[9] }, agentCapabilities: { loadSession: false }, authMethods: [] }),
  'session/new': () => ({ sessionId: SESSION, modes: { currentModeId: 'm0', availableModes: PAYLOADS.map((payload, index) => ({ id: `m${index}`, name: payload, description: payload })) } }),
  'session/close': () => ({}),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) return void waiting.get(message.id)?.(message.result);
  if (message.method === 'session/prompt') return void prompt(message, message.params);
  if (message.id === undefined) return;
  const answer = ANSWERS[message.method];
  write(answer ? { id: message.id, result: answer() } : { id: message.id, error: { code: -32601, message: 'unknown' } });
  if (message.method === 'session/new') commands();
});
