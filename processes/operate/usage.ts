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
  'recover-account': 'operate recover-account USER',
  'end-sessions': 'operate end-sessions USER',
  'check-stripe': 'operate check-stripe [--set-up]',
  archive: 'operate archive [--follow]',
  backup: 'operate backup FOLDER',
  'security-trail': 'operate security-trail [--user USER] [--what ACT] [--since ISO-TIME] [--until ISO-TIME]',
  'rotate-data-keys': 'operate rotate-data-keys [--user USER] [--made-before ISO-TIME]',
  restore: 'operate restore [--check] FOLDER',
} as const;

export type Verb = keyof typeof USAGE;
