/**
 * Bench (i): how long an honest tip takes while a thousand sockets hold the front and give nothing for it,
 * from other addresses and from the payer's own. The time is that of opening the payment: the call that the
 * server has to hear in the crowd.
 */
import { CardProviderWorld } from '#test/support/payer';
import { Person } from '#test/support/person';
import { LOOPBACK_ADDRESSES, SlowSockets } from '#test/support/slow-sockets';
import { startStack } from '#test/support/start-stack';
import { percentile, type Row } from './measure.js';

const SOCKETS = 1_000;
const TIPS = 40;
/** To warm up, without sockets, and with those of two kinds. */
const ROUNDS = 4;

export async function benchSlowSockets(): Promise<Row[]> {
  const stack = await startStack(['all'], { syncs: true });
  try {
    const provider = new CardProviderWorld(() => stack);
    const milo = await Person.signUp(stack.url, 'Milo');
    const payers = await Promise.all(Array.from({ length: ROUNDS }, () => Person.signUp(stack.url, 'Juno')));
    const tips = async (): Promise<number[]> => {
      const times: number[] = [];
      // Nobody may leave many payments unpaid.
      const juno = payers.pop()!;
      let last = '';
      for (let n = 0; n < TIPS; n += 1) {
        const begun = performance.now();
        last = (await juno.pay(milo.id, '5.00')).clientSecret;
        times.push(performance.now() - begun);
      }
      // One of them to its end: the ledger answers behind the proxy, too.
      await provider.card(last);
      await provider.delivered();
      return times;
    };
    const rowOf = (of: string, times: number[]): Row => ({
      bench: 'tip among slow sockets',
      of,
      value: Number(percentile(times, 50).toFixed(1)),
      unit: 'ms',
      note: `p50; p99 ${percentile(times, 99).toFixed(1)} ms of ${times.length}`,
    });
    await tips();
    const rows = [rowOf('none', await tips())];
    for (const [of, from] of [
      [`${SOCKETS} from other addresses`, LOOPBACK_ADDRESSES],
      [`${SOCKETS} from the same address`, ['127.0.0.1']],
    ] as const) {
      const slow = await SlowSockets.open(stack.ports['front'] ?? 0, { count: SOCKETS, from });
      rows.push(rowOf(of, await tips()));
      slow.close();
    }
    return rows;
  } finally {
    await stack.stop();
  }
}
