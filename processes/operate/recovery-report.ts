/** What a recovery of the log came to, in lines for an operator: ids only, nothing that a person wrote. */
import type { Epoch } from '#ledger/journal/state';
import type { ProviderRecovery } from '#ledger/recovery/provider-recovery';
import type { UnreadableObject } from '#ledger/stripe/provider-history';
import type { BroughtBack } from '#log/bring-back';
import type { LogRecovery } from '#log/log-recovery';
import type { LostRow } from '#projections/engine/replace-rows';
import type { LinksWonBack } from './win-back-links.js';
import type { LostEvent } from './win-back.js';

export interface RecoveryReport {
  readonly found: LogRecovery;
  readonly since: Date;
  readonly archived: BroughtBack | undefined;
  readonly provider: ProviderRecovery;
  readonly links: LinksWonBack;
  readonly unreadable: readonly UnreadableObject[];
  readonly epoch: Epoch | undefined;
  readonly lostEvents: readonly LostEvent[];
  readonly lostRows: readonly LostRow[];
  /** Users who may be paid and nothing more until an operator has looked at them. */
  readonly suspended: readonly string[];
  /** Schedules that collect nothing until their owner says so. */
  readonly paused: readonly string[];
  /** Those of them whose stream is parked: nothing could be told to them. */
  readonly parked: readonly string[];
}

export function linesOf(report: RecoveryReport): string[] {
  const { found, since, archived, provider, links, epoch } = report;
  const entries = [...provider.entries].map(([type, count]) => `${count} ${type}`).join(', ');
  return [
    `What was found: ${found.reason}`,
    archived === undefined
      ? 'There was no archive (ENCORE_ARCHIVE).'
      : `From the archive: ${archived.appended} events came back as they were; ${archived.common} were there.`,
    `From the provider since ${since.toISOString()}: ${provider.payments} payments and ${provider.transfers} transfers ` +
      `were compared, ${provider.foreign} of others left alone. Won back: ${provider.paymentsWonBack} payments, ` +
      `${provider.payoutsWonBack} payouts.`,
    `Known again under the provider’s ids: ${links.customers} customers with their saved cards, ${links.accounts} accounts ` +
      'for payouts.',
    `Entries written: ${entries || 'none'}.`,
    epoch === undefined
      ? 'Nothing is known to be lost: no new epoch was begun.'
      : `Epoch: the histories part behind revision ${epoch.commonRevision} of the journal; the lost one is known up to ` +
        `${epoch.lostRevision === undefined ? 'no revision' : `revision ${epoch.lostRevision}`}.`,
    ...listed(
      'Events that only the archive has (stream, revision, kind, users)',
      report.lostEvents.map(({ stream, revision, kind, users }) =>
        [stream, revision, kind, users.join(' ')].join('  '),
      ),
    ),
    ...listed(
      'What the rows knew and no source has (table, whether missing or changed, ids)',
      report.lostRows.map(({ table, what, ids }) => [table, what, idsText(ids)].join('  ')),
    ),
    ...listed(
      'At the provider and in no entry (object, what it names, why)',
      [...provider.unbooked, ...links.unlinked].map(({ object, names, why, reason }) =>
        [object, names ?? '', why, reason ?? ''].join('  ').trimEnd(),
      ),
    ),
    ...listed(
      'Listed by the provider in a form that cannot be read; ask it why, and look them up (kind, object, what is missing)',
      report.unreadable.map(({ kind, objectId, field }) =>
        [kind, objectId ?? 'without an id', field].join('  '),
      ),
    ),
    ...listed('Users closed to debits until: encore operate reopen USER', report.suspended),
    ...listed('Schedules that wait for their owner', report.paused),
    ...listed(
      'Schedules whose stream is parked, and that stand still; ask their payers what was collected before you take the event out',
      report.parked,
    ),
  ];
}

const listed = (title: string, lines: readonly string[]): string[] => [
  `${title}: ${lines.length === 0 ? 'none.' : lines.length}`,
  ...lines.map((line) => `    ${line}`),
];

const idsText = (ids: LostRow['ids']): string =>
  Object.entries(ids)
    .flatMap(([name, value]) => (value === null ? [] : [`${name}=${value}`]))
    .join(' ');
