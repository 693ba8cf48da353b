/** How the verbs of `operate` are called. */
export const USAGE = {
  found: 'operate found',
  'book-platform-money': 'operate book-platform-money TXN',
  unclaimed: 'operate unclaimed --list',
  'pay-unclaimed': 'operate pay-unclaimed ITEM --reference "where the payment can be looked up"',
  'write-off': 'operate write-off USER --because "why"',
  quarantine: 'operate quarantine --list | STREAM REVISION --because "why"',
  recover: 'operate recover [--since ISO-TIME] [--report FILE]',
  reopen: 'operate reopen USER',
  'check-stripe': 'operate check-stripe [--set-up]',
  archive: 'operate archive [--follow]',
  backup: 'operate backup FOLDER',
  restore: 'operate restore [--check] FOLDER',
} as const;

export type Verb = keyof typeof USAGE;
