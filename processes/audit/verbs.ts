/** The verbs of `encore audit`, in the order in which its help lists them. */
import type { Verb } from './verb.js';
import { agingVerb } from './verbs/aging.js';
import { anchorVerb } from './verbs/anchor.js';
import { certificateVerb } from './verbs/certificate.js';
import { closeVerb, monthVerb } from './verbs/close.js';
import { copyVerb } from './verbs/copy.js';
import { explainVerb } from './verbs/explain.js';
import { exportVerb } from './verbs/export.js';
import { proveConsistencyVerb } from './verbs/prove-consistency.js';
import { proveEntryVerb } from './verbs/prove-entry.js';
import { reconcileVerb } from './verbs/reconcile.js';
import { reportVerb } from './verbs/report.js';
import { safeguardingVerb } from './verbs/safeguarding.js';
import { schedulesReportVerb } from './verbs/schedules-report.js';
import { statementVerb } from './verbs/statement.js';
import { taxVerb } from './verbs/tax.js';
import { trialBalanceVerb } from './verbs/trial-balance.js';
import { verifyVerb } from './verbs/verify.js';

export const VERBS: readonly Verb[] = [
  verifyVerb,
  reportVerb,
  exportVerb,
  schedulesReportVerb,
  reconcileVerb,
  trialBalanceVerb,
  statementVerb,
  explainVerb,
  agingVerb,
  safeguardingVerb,
  taxVerb,
  certificateVerb,
  closeVerb,
  monthVerb,
  copyVerb,
  anchorVerb,
  proveEntryVerb,
  proveConsistencyVerb,
];
