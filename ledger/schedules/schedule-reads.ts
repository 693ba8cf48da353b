/** What the schedules slice reads; implemented over the read models by main.ts. Amounts are minor units. */
import type { ListAsked, Page } from '#contracts/api/lists';
import type { ScheduleKind } from '#contracts/events/occurrence';

export interface ScheduleLine {
  readonly id: string;
  readonly kind: ScheduleKind;
  readonly recipientId: string;
  readonly recipientUsername: string | null;
  readonly recipientFirstName: string | null;
  readonly recipientLastName: string | null;
  readonly amountMinor: number;
  readonly frequency: string | null;
  readonly description: string | null;
  readonly status: 'active' | 'paused' | 'canceled' | 'pending' | 'completed' | 'failed';
  readonly firstDueAt: Date;
  readonly nextDueAt: Date | null;
  readonly pauseReason: string | null;
  readonly stage: 'collecting' | 'confirming' | 'waiting' | null;
  readonly retryAt: Date | null;
  readonly paymentId: string | null;
  readonly confirmBy: Date | null;
  readonly lastFailureReason: string | null;
  readonly lastCollectedAt: Date | null;
  readonly createdAt: Date;
}

/** What of a list is asked for. */
export interface SchedulesAsked extends ListAsked {
  readonly kind: ScheduleKind;
  readonly status?: ScheduleLine['status'] | undefined;
  readonly frequency?: string | undefined;
}

export abstract class ScheduleReads {
  /** One kind of a payer's schedules, newest first. */
  abstract pageOf(payerId: string, asked: SchedulesAsked): Promise<Page<ScheduleLine>>;
  /** Those of either kind that still go on and that a user pays or is paid by. */
  abstract livingOf(userId: string): Promise<readonly { id: string; kind: ScheduleKind; payerId: string }[]>;
  /** One of them; undefined for anybody else's, and where the read model has none (yet). */
  abstract of(payerId: string, id: string): Promise<ScheduleLine | undefined>;
}
