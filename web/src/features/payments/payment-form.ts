/**
 * The one model of a payment's form: now, recurring or later. It has the fields, refuses what cannot be paid,
 * and sends the rest: to the checkout, or as a new schedule to the server. Tap to Pay and the dialog of a new
 * schedule are views of it.
 */
import { useEffect, useState, type ReactNode } from 'react';
import { goToLogin, REDIRECT_MS } from '../../shared/navigation/leaving.js';
import { useRefusals } from '../../shared/ui/refusals.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useSession } from '../account/current-user.js';
import { useCheckoutExit } from './checkout-exit.js';
import type { PaymentDraft } from './filled-form.js';
import {
  AUTHENTICATION_REQUIRED,
  EMPTY_FIELDS,
  refusalOf,
  typedAmount,
  withOffset,
  writtenAmount,
  type PaymentFields,
  type PaymentKind,
} from './form-rules.js';
import { forgetForm, keepForm, leftForm } from './left-form.js';
import { useScheduleRequest } from './schedule-request.js';
import { chosenSource, USUAL_SOURCE } from './source.js';

/** What the specification has differently on the pages of schedules. */
const PLACES = {
  tapToPay: {
    missingFromSubscription: 'Missing Information',
    failedToSchedule: 'Failed to schedule payment',
    amountAs: 'number',
  },
  schedulesPage: {
    missingFromSubscription: 'Error',
    failedToSchedule: 'Failed to create scheduled payment',
    amountAs: 'text',
  },
} as const;

interface PaymentFormOptions {
  readonly place: keyof typeof PLACES;
  /** The kind that it begins with. */
  readonly kind: PaymentKind;
  readonly draft?: PaymentDraft;
  /** After a schedule was created; without it the form is emptied. */
  readonly onCreated?: () => void;
}

export interface PaymentForm {
  readonly kind: PaymentKind;
  readonly setKind: (kind: PaymentKind) => void;
  readonly fields: PaymentFields;
  readonly set: <Name extends keyof PaymentFields>(name: Name, value: PaymentFields[Name]) => void;
  readonly problemOf: (name: keyof PaymentFields) => string | undefined;
  /** Why the server refused what was sent, until something in it is changed. */
  readonly problem: string | undefined;
  /** For the `ref` of the element around the fields. */
  readonly around: (element: HTMLElement | null) => void;
  /** Changes when the form is emptied: parts that keep what is typed in them begin anew. */
  readonly timesReset: number;
  readonly isBusy: boolean;
  readonly submit: () => void;
  /** Asks for a card where there is none to pay with. To be put outside the form. */
  readonly cardDialog: ReactNode;
}

export function usePaymentForm({
  place,
  kind: firstKind,
  draft,
  onCreated,
}: PaymentFormOptions): PaymentForm {
  const { missingFromSubscription, ...wording } = PLACES[place];
  const session = useSession();
  // Whose form it is, also once the session has ended.
  const [userId] = useState(session.status === 'signed-in' ? session.user.id : undefined);
  const toast = useToast();
  const checkout = useCheckoutExit(userId);
  const [left] = useState(() => userId && leftForm(userId));
  const [kind, setKind] = useState(left ? left.kind : firstKind);
  const [fields, setFields] = useState<PaymentFields>(
    left ? left.fields : { ...EMPTY_FIELDS, ...(checkout.left ?? draft) },
  );
  const [timesReset, setTimesReset] = useState(0);
  const { problemOf, refuse, changed, clear, around } = useRefusals<keyof PaymentFields>();
  const reset = () => {
    setFields(EMPTY_FIELDS);
    setTimesReset((times) => times + 1);
  };
  const keep = () => {
    if (userId !== undefined) keepForm(userId, { kind, fields });
  };
  const schedule = useScheduleRequest({ ...wording, onCreated: onCreated ?? reset, onSignedOut: keep });
  const isBusy = checkout.isLeaving || schedule.isBusy;

  useEffect(() => {
    if (left) forgetForm();
  }, [left]);

  const submit = () => {
    if (session.status !== 'signed-in') {
      keep();
      toast.error(AUTHENTICATION_REQUIRED.title, AUTHENTICATION_REQUIRED.description);
      goToLogin(REDIRECT_MS.loginOnForm);
      return;
    }
    if (isBusy) return;
    schedule.clearProblem();
    const missingTitle = kind === 'recurring' ? missingFromSubscription : undefined;
    const refusal = refusalOf(kind, fields, new Date(), missingTitle);
    if (refusal) {
      refuse(refusal.fields);
      toast.error(refusal.title, refusal.description);
      return;
    }
    clear();
    const { recipientId: toUserId, description, frequency, source, date } = fields;
    const payment = {
      toUserId,
      amount: writtenAmount(fields.amount) ?? fields.amount,
      description,
      ...(source !== USUAL_SOURCE && { source: chosenSource(source) }),
    };
    if (kind === 'now') checkout.leave(fields);
    else if (kind === 'later') schedule.send({ ...payment, scheduledDate: withOffset(date) });
    else if (frequency !== '')
      schedule.send({
        ...payment,
        ...(wording.amountAs === 'text' && { amount: typedAmount(fields.amount) }),
        frequency,
      });
  };

  return {
    kind,
    setKind: (next) => {
      setKind(next);
      clear();
      schedule.clearProblem();
    },
    fields,
    set: (name, value) => {
      setFields((now) => ({ ...now, [name]: value }));
      changed(name);
      schedule.clearProblem();
    },
    problemOf,
    problem: schedule.problem,
    around,
    timesReset,
    isBusy,
    submit,
    cardDialog: schedule.cardDialog,
  };
}
