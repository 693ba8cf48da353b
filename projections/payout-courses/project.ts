/** Folds the courses of payouts into rows. */
import { PAYOUT_PREFIX, type PayoutCourseEvent } from '#contracts/events/payout-course';
import type { RecordedEvent } from '#contracts/log';
import type { Tx } from '../engine/read-model.js';

interface Row {
  payout_id: string;
  user_id: string;
  delays: number;
  delay_code: string | null;
  delay_reason: string | null;
  delayed_at: Date | string | null;
  abandoned_reason: string | null;
}

const isOfCourse = (event: RecordedEvent): event is RecordedEvent<PayoutCourseEvent> =>
  event.stream.startsWith(PAYOUT_PREFIX);

export async function projectPayoutCourses(events: readonly RecordedEvent[], tx: Tx): Promise<void> {
  const concerned = events.filter(isOfCourse);
  if (concerned.length === 0) return;
  const before = await tx.query<Row>({
    name: 'payout-courses-concerned',
    text: 'select * from payout_courses where payout_id = any($1::text[])',
    values: [[...new Set(concerned.map(({ data }) => data.payoutId))]],
  });
  const rows = new Map(before.rows.map((row) => [row.payout_id, row]));
  for (const event of concerned) {
    const { payoutId, userId } = event.data;
    const row = rows.get(payoutId) ?? {
      payout_id: payoutId,
      user_id: userId,
      delays: 0,
      delay_code: null,
      delay_reason: null,
      delayed_at: null,
      abandoned_reason: null,
    };
    rows.set(payoutId, row);
    if (event.type === 'PayoutDelayed') {
      row.delays += 1;
      row.delay_code = event.data.code;
      row.delay_reason = event.data.reason;
      row.delayed_at = event.data.delayedAt;
    } else if (event.type === 'PayoutAbandoned') row.abandoned_reason = event.data.reason;
  }
  const written = [...rows.values()];
  await tx.query({
    name: 'payout-courses-written',
    text: `insert into payout_courses
           select * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::timestamptz[], $7::text[])
           on conflict (payout_id) do update set delays = excluded.delays, delay_code = excluded.delay_code,
             delay_reason = excluded.delay_reason, delayed_at = excluded.delayed_at, abandoned_reason = excluded.abandoned_reason`,
    values: [
      written.map((row) => row.payout_id),
      written.map((row) => row.user_id),
      written.map((row) => row.delays),
      written.map((row) => row.delay_code),
      written.map((row) => row.delay_reason),
      written.map((row) => row.delayed_at),
      written.map((row) => row.abandoned_reason),
    ],
  });
}
