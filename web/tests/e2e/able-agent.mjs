/**
 * An agent that can do what others cannot be made to do: it refuses a choice, fills its context, writes long code and
 * changes long files. A prompt is the name of a scene. Started with the word `files`, it takes files and tells what it got.
 */
import { createInterface } from 'node:readline';

const SESSION = 'able-session';
let nextItem = 1;

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tell = (update) => write({ method: 'session/update', params: { sessionId: SESSION, update } });
const id = (kind) => `${kind}-${nextItem++}`;
const say = (text) => tell({ sessionUpdate: 'agent_message_chunk', messageId: id('message'), content: { type: 'text', text } });
const lines = (count, line) => Array.from({ length: count }, (_, index) => line(index + 1)).join('\n');

const SCENES = {
  hello: () => say('hello'),
  /** Nine tenths of it. */
  full: () => tell({ sessionUpdate: 'usage_update', used: 180_000, size: 200_000 }),
  code() {
    say(`\`\`\`js\n${lines(20, (line) => `const short${line} = ${line};`)}\n\`\`\``);
    say(`\`\`\`js\n${lines(2500, (line) => `const long${line} = ${line};`)}\n\`\`\``);
  },
  wide() {
    const row = (cell) => `| ${Array.from({ length: 8 }, (_, column) => `${cell}${column}`).join(' | ')} |`;
    say(`${row('Heading')}\n${row('---').replace(/\d/g, '')}\n${row('something')}\n\nمرحبا بالعالم`);
  },
  change() {
    const toolCallId = id('call');
    const text = (word) => `${lines(300, (line) => (line % 50 === 0 ? `kept ${line}` : `${word} ${line}`))}\n`;
    const content = [{ type: 'diff', path: '/place/long.txt', oldText: text('old'), newText: text('new') }];
    tell({ sessionUpdate: 'tool_call', toolCallId, title: 'Change a long file', kind: 'edit', status: 'completed', rawInput: {}, content });
  },
  /** The time at which the first words were said. The turn goes on, so that its end hurries nothing. */
  clock: () => say(`said at ${Date.now()}`),
};
const GOES_ON = new Set(['clock']);

/** "image/png 79", "note.txt 11": what came beside words. */
const got = (block) => (block.type === 'image'
  ? `${block.mimeType} ${Buffer.from(block.data, 'base64').length}`
  : `${block.resource.uri.split('/').at(-1)} ${block.resource.text?.length ?? Buffer.from(block.resource.blob, 'base64').length}`);

function prompt({ id: request, params }) {
  const files = params.prompt.filter((block) => block.type !== 'text');
  if (files.length > 0) say(`I got ${files.map(got).join(', ')}`);
  const scene = params.prompt.map((block) => block.text ?? '').join('');
  SCENES[scene]?.();
  if (GOES_ON.has(scene)) running = request;
  else write({ id: request, result: { stopReason: 'end_turn' } });
}

let running;
const takesFiles = process.argv.includes('files');
const promptCapabilities = { image: takesFiles, embeddedContext: takesFiles };
const modes = { currentModeId: 'careful', availableModes: [{ id: 'careful', name: 'Careful' }, { id: 'bold', name: 'Bold' }] };
const ANSWERS = {
  initialize: () => ({ result: { protocolVersion: 1, agentInfo: { name: 'able', version: '1' }, agentCapabilities: { loadSession: false, promptCapabilities }, authMethods: [] } }),
  'session/new': () => ({ result: { sessionId: SESSION, modes } }),
  'session/set_mode': () => ({ error: { code: -32602, message: 'boldness is not for this account' } }),
  'session/close': () => ({ result: {} }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === 'session/prompt') return void prompt(message);
  if (message.method === 'session/cancel' && running !== undefined) {
    write({ id: running, result: { stopReason: 'cancelled' } });
    running = undefined;
  }
  if (message.id === undefined || message.method === undefined) return;
  const answer = ANSWERS[message.method];
  write({ id: message.id, ...(answer ? answer() : { error: { code: -32601, message: 'unknown' } }) });
  if (message.method === 'session/new') tell({ sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'compact', description: 'Makes it short' }] });
});
