/** An agent whose first words in each turn are the time at which it said them. The turn goes on, so that its end hurries nothing. */
import { createInterface } from 'node:readline';

const PIECES = 40;
const BETWEEN = 20;
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (sessionId, messageId, text) => write({ method: 'session/update', params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text } } } });

function prompt({ id, params: { sessionId } }) {
  let left = PIECES;
  say(sessionId, `message-${id}`, `said at ${Date.now()} `);
  const timer = setInterval(() => {
    say(sessionId, `message-${id}`, 'and more ');
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    write({ id, result: { stopReason: 'end_turn' } });
  }, BETWEEN);
}

const ANSWERS = {
  initialize: () => ({ protocolVersion: 1, agentInfo: { name: 'clock', version: '1' }, agentCapabilities: {}, authMethods: [] }),
  'session/new': () => ({ sessionId: 'clock-session' }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.method === 'session/prompt') return void prompt(message);
  if (message.id === undefined || message.method === undefined) return;
  const answer = ANSWERS[message.method];
  write(answer ? { id: message.id, result: answer() } : { id: message.id, error: { code: -32601, message: 'unknown' } });
});
