/** The verbs of `encore audit`, in the order in which its help lists them. */
import type { Verb } from './verb.js';
import { copyVerb } from './verbs/copy.js';
import { exportVerb } from './verbs/export.js';
import { reconcileVerb } from './verbs/reconcile.js';
import { schedulesReportVerb } from './verbs/schedules-report.js';
import { verifyVerb } from './verbs/verify.js';

export const VERBS: readonly Verb[] = [verifyVerb, exportVerb, schedulesReportVerb, reconcileVerb, copyVerb];
