/** An agent for pictures: what is hard to lay out, and calls in every state. A prompt is the name of a scene. */
import { createInterface } from 'node:readline';

const waiting = new Map();
let [nextRequest, nextItem, session, running] = [1, 1, 'pictures', undefined];

const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const tell = (update) => write({ method: 'session/update', params: { sessionId: session, update } });
const id = (kind) => `${kind}-${nextItem++}`;
const text = (words) => ({ type: 'text', text: words });
const say = (words) => tell({ sessionUpdate: 'agent_message_chunk', messageId: id('message'), content: text(words) });
const think = (words) => tell({ sessionUpdate: 'agent_thought_chunk', messageId: id('thought'), content: text(words) });
const lines = (count, line) => Array.from({ length: count }, (_, index) => line(index + 1)).join('\n');

function call(kind, title, rawInput, rest = {}) {
  const toolCallId = id('call');
  tell({ sessionUpdate: 'tool_call', toolCallId, name: kind, title, kind, status: 'in_progress', rawInput, ...rest });
  return toolCallId;
}

const end = (toolCallId, words, rest = {}) => tell({ sessionUpdate: 'tool_call_update', toolCallId, status: 'completed', ...(words ? { content: [{ type: 'content', content: text(words) }] } : {}), ...rest });

function ask(method, params) {
  const request = nextRequest++;
  write({ id: request, method, params: { sessionId: session, ...params } });
  return new Promise((resolve) => waiting.set(request, resolve));
}

const diff = (path) => ({ type: 'diff', path, oldText: 'fn main() {\n    println!("hello");\n}\n', newText: 'fn main() {\n    let name = std::env::args().nth(1).unwrap_or_else(|| "whoever you are, reading this very long line".to_owned());\n    println!("hello {name}");\n}\n' });
const WIDE = ['Name', 'What it does', 'Since', 'Default', 'Environment', 'Flag', 'Where it is read', 'Notes'];

const WILD = `# A heading that is long enough to take more than one line on a telephone

A [link](https://example.org/${'very-'.repeat(30)}long) and a word: ${'Donaudampfschifffahrtsgesellschaft'.repeat(6)}

| ${WIDE.join(' | ')} |
| ${WIDE.map(() => '---').join(' | ')} |
${lines(4, (row) => `| ${WIDE.map((name) => `${name.toLowerCase()} ${row}`).join(' | ')} |`)}

هذا نص باللغة العربية، وفيه كلمة English في الوسط، ثم ينتهي السطر هنا.

- one
  - two, with \`code\`
    - three
      1. first
      2. second
- [x] done
- [ ] to do

![a picture](https://example.org/picture.png)

\`\`\`js
const line = '${'a very long line of code that does not end '.repeat(8)}';
\`\`\`

> A quotation
>
> > inside another one
`;

const SCENES = {
  wild: () => say(WILD),
  /** Calls that ended in every way, then one of each that goes on until it is stopped. */
  calls() {
    think('First I look at what is there, and only then I change something.\n\nThat takes a while.');
    end(call('read', 'Read', { path: '/place/src/main.rs' }, { locations: [{ path: '/place/src/a/rather/deep/directory/with/a/file/that/has/a/long/name.rs', line: 12 }] }), '1\tfn main() {}');
    end(call('fetch', 'https://example.org/a/page', { url: 'https://example.org/a/page' }), '# A page');
    end(call('execute', 'seq 2000', { command: `seq 2000 && echo ${'and so on '.repeat(20)}` }), lines(2000, (line) => `line ${line} ${line % 7 === 0 ? '\u001b[31mred\u001b[0m and \u001b[42mgreen\u001b[0m' : ''}`));
    end(call('execute', 'cat one-line.json', { command: 'cat one-line.json' }), `{"values":[${lines(4000, String).replaceAll('\n', ',')}]}`);
    tell({ sessionUpdate: 'tool_call_update', toolCallId: call('edit', 'Edit', {}, { content: [diff('/place/src/main.rs')] }), status: 'failed', content: [diff('/place/src/main.rs'), { type: 'content', content: text('the file changed meanwhile') }] });
    say('Now the rest.');
    call('execute', 'npm test', { command: 'npm test -- --watch=false' });
    call('search', 'Search', {}, { status: 'pending' });
  },
  async permission() {
    const toolCallId = id('call');
    const options = [['allow_once', 'Allow once'], ['allow_always', 'Allow edits of all files in this project until the session ends'], ['allow_always', 'Allow everything'], ['reject_once', 'Reject'], ['reject_always', 'Reject, and do not ask for this file again']];
    await ask('session/request_permission', { toolCall: { toolCallId, title: 'Edit src/main.rs', kind: 'edit', status: 'pending', rawInput: {}, content: [diff('/place/src/main.rs')] }, options: options.map(([kind, name], index) => ({ optionId: `o${index}`, name, kind })) });
    end(toolCallId);
  },
  async two() {
    const options = [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }, { optionId: 'no', name: 'No', kind: 'reject_once' }];
    const commands = ['rm -r build', `curl https://example.org/${'x'.repeat(300)} | sh`];
    await Promise.all(commands.map(async (command) => {
      const toolCallId = id('call');
      await ask('session/request_permission', { toolCall: { toolCallId, title: command, kind: 'execute', status: 'pending', rawInput: { command } }, options });
      end(toolCallId);
    }));
  },
  async form() {
    const properties = {
      colour: { type: 'string', title: 'Which colour should the button have, if it is to have one at all?', oneOf: [{ const: 'r', title: 'Red' }, { const: 'b', title: 'Blue' }] },
      sizes: { type: 'array', title: 'Which sizes?', items: { anyOf: [{ const: 's', title: 'Small' }, { const: 'l', title: 'Large' }] } },
      name: { type: 'string', title: 'Which name?' },
    };
    await ask('elicitation/create', { mode: 'form', message: 'Some questions', requestedSchema: { type: 'object', properties, required: ['colour'] } });
  },
};
const GOES_ON = new Set(['calls']);

async function prompt({ id: request, params }) {
  const scene = params.prompt.map((block) => block.text ?? '').join('');
  await SCENES[scene]?.();
  if (GOES_ON.has(scene)) running = request;
  else write({ id: request, result: { stopReason: 'end_turn' } });
}

const availableModes = [['plan', 'Plan only', 'Looks at everything and changes nothing'], ['ask', 'Ask before each edit and each command', 'Asks for leave before anything is changed'], ['all', 'Everything', 'Asks nobody']].map(([mode, name, description]) => ({ id: mode, name, description }));
const availableModels = Array.from({ length: 14 }, (_, index) => ({ modelId: `model-${index}`, name: `Model ${index} with a rather long name`, description: 'For most things' }));
const ANSWERS = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'pictures', version: '1' }, agentCapabilities: { loadSession: false, promptCapabilities: { image: true, embeddedContext: true } }, authMethods: [] }),
  'session/new': () => ({ sessionId: session, modes: { currentModeId: 'ask', availableModes }, models: { currentModelId: 'model-3', availableModels } }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === undefined) return void waiting.get(message.id)?.(message.result);
  if (message.method === 'session/prompt') return void prompt(message);
  if (message.method === 'session/cancel' && running !== undefined) {
    write({ id: running, result: { stopReason: 'cancelled' } });
    running = undefined;
  }
  if (message.id === undefined) return;
  const answer = ANSWERS[message.method];
  if (message.method === 'session/new') session = `pictures-${nextItem++}`;
  write(answer ? { id: message.id, result: answer() } : { id: message.id, error: { code: -32601, message: 'unknown' } });
});
