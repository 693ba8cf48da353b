/**
 * Three nodes of the event store behind docker-compose.yml, of which the leader is killed, and then ended,
 * under people who read, sign in and pay: nobody is refused anything.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { Crowd } from '#test/support/crowd';
import { Evidence } from '#test/support/evidence';
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { Visitors } from '#test/support/visitors';
import { ComposeStack } from './compose-stack.js';
import { worldOf, type World } from './world.js';

const SLOW_MS = 900_000;
const TIPS = 40;
const AT_ONCE = 4;
const USUAL_MS = 5_000;
const Report = z.object({
  leader: z.number().optional(),
  nodes: z.array(z.object({ id: z.number(), condition: z.string() })),
});
/** Where each node is reached from here, in their order. */
const PORTS = ['PROOF_EVENTSTORE_BIND', 'PROOF_SECOND_NODE_BIND', 'PROOF_THIRD_NODE_BIND'];

let stack: ComposeStack;
let world: World;

/** Makes a fault in one of the nodes, or only asks how they are. */
async function nodes(method: 'GET' | 'POST', path: string): Promise<z.output<typeof Report>> {
  const ask = `fetch('http://127.0.0.1:2119${path}', { method: '${method}' })
    .then(async (answer) => console.log(answer.ok ? await answer.text() : process.exit(1)))`;
  return Report.parse(JSON.parse(await stack.compose('exec', '-T', 'eventstore', 'node', '-e', ask)));
}

/** Looks at the stack through the node that leads. */
async function withEvidence<T>(look: (evidence: Evidence) => Promise<T>): Promise<T> {
  let leader: number | undefined;
  await stack.until(
    async () => (leader = (await nodes('GET', '/')).leader) !== undefined,
    'eventstore',
    'to have a leader',
  );
  const url = `esdb://${stack.setting(PORTS[leader! - 1]!)}?tls=false`;
  const evidence = new Evidence(() => ({ env: { ...world.env, EVENTSTORE_URL: url } }));
  try {
    return await look(evidence);
  } finally {
    await evidence.close();
  }
}

beforeAll(async () => {
  stack = await ComposeStack.find({ files: ['three-nodes.yml'] });
  await stack.prepare();
  stack.changeSecret('eventstore_url', 'esdb://eventstore:2113,eventstore:2114,eventstore:2115?tls=false');
  await stack.up();
  world = worldOf(stack);
}, SLOW_MS);
afterAll(async () => {
  await stack?.down({ forget: true });
}, SLOW_MS);

describe('three nodes', () => {
  it.each(['kill', 'end'])(
    'refuse nobody anything when the leader goes by "%s"',
    async (fault) => {
      const crowd = await Crowd.gather(world.url, new CardProviderWorld(() => world));
      const [reader, signsIn, payer, recipient] = await Promise.all(
        ['Rhea', 'Sam', 'Pia', 'Rex'].map((name) => Person.signUp(world.url, name)),
      );
      const before = await withEvidence((evidence) => evidence.events());
      const visitors = new Visitors({
        reader: reader!,
        signsIn: signsIn!,
        pays: { payer: payer!, recipient: recipient! },
      });
      const tips = crowd.tip(TIPS, AT_ONCE);
      await pause(USUAL_MS);
      await nodes('POST', `/nodes/leader/${fault}`);
      await tips;
      await pause(USUAL_MS);
      const answers = await visitors.leave();
      const gone = (await nodes('GET', '/')).nodes.find(({ condition }) => /killed|ended/.test(condition));
      await nodes('POST', `/nodes/${gone!.id}/start`);

      process.stdout.write(`${[...answers].map(([line, count]) => `${line}: ${count}`).join('\n')}\n`);
      expect(crowd.tips.map(({ named, secrets }) => [named.size, secrets.size])).toEqual(
        crowd.tips.map(() => [1, 1]),
      );
      await withEvidence(async (evidence) => {
        await evidence.shown();
        expect((await evidence.events()).slice(0, before.length)).toEqual(before);
        await evidence.holds();
      });
      expect([...answers.keys()].filter((line) => !/ (?:200|done)$/.test(line))).toEqual([]);
      expect(crowd.repeats).toBe(0);
    },
    SLOW_MS,
  );
});
