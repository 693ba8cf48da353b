/** What an audit report shows: plain data, from which `page.ts` makes the page. */
import type { Check } from '../report.js';

/** A line of the balances. */
export interface ReportBalance {
  readonly label: string;
  /** In minor units; what is owed to people is positive, what faces the outside negative. */
  readonly minor: number;
  /** In lower case; absent for dollars. */
  readonly currency?: string | undefined;
  /** What the entries of these accounts are found by. */
  readonly search: string;
}

/** What the books held for people at the end of a day. */
export interface DayEnd {
  /** `2026-11-21`, UTC. */
  readonly day: string;
  readonly minor: number;
}

/** A step from a leaf of the tree to its root. */
export interface ProofStep {
  /** What the hash beside the path stands for, in words. */
  readonly with: string;
  readonly hash: string;
}

/** That an entry is in the log whose root was published. */
export interface InclusionProof {
  readonly leafHash: string;
  readonly steps: readonly ProofStep[];
  readonly rootHash: string;
  /** ISO time of the signed checkpoint. */
  readonly publishedAt: string;
}

/** An entry of the journal, as the report opens it. */
export interface ReportEntry {
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  /** ISO time. */
  readonly recordedAt: string;
  /** What it is about: a payment, a payout, a wallet, and so on. */
  readonly subject?: { readonly label: string; readonly id: string } | undefined;
  /** The user who asked for it; absent for what the card provider or time did. */
  readonly actorId?: string | undefined;
  readonly hash: string;
  /** The chain's hash of the entry before it; absent for the first. */
  readonly previousHash?: string | undefined;
  readonly postings: readonly {
    readonly debit: string;
    readonly credit: string;
    /** In minor units. */
    readonly amountMinor: number;
    readonly currency: string;
  }[];
  /** Absent as long as no signed checkpoint covers it. */
  readonly proof?: InclusionProof | undefined;
}

export interface AuditReport {
  readonly checks: readonly Check[];
  /** Events read, of all streams. */
  readonly events: number;
  /** The last place read in the log. */
  readonly readTo: string;
  /** ISO times of the first and the last entry; absent for a log without entries. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** ISO time. */
  readonly madeAt: string;
  readonly tookMs: number;
  readonly people: readonly ReportBalance[];
  readonly outside: readonly ReportBalance[];
  readonly days: readonly DayEnd[];
  /** Newest first; those that a finding names are always among them. */
  readonly entries: readonly ReportEntry[];
  /** How many entries the journal has: the page opens some of them. */
  readonly entryCount: number;
}
