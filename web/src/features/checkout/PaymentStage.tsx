/** The panel of a payment about to be made: amount, recipient, method. */
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { nameOf, usePersonQuery } from '../payments/people.js';
import { cautionFor, Handle } from '../payments/Trust.js';
import { BigAmount } from '../../shared/ui/Amount.js';
import { Avatar } from '../../shared/ui/Avatar.js';
import { DotLeaders } from '../../shared/ui/Layout.js';
import { methodName, type Method } from '../payments/MethodChoice.js';
import { Stage } from '../../shared/ui/Stage.js';

const Inside = styled('div')(({ theme }) => ({
  padding: 20,
  '& .label': { fontWeight: 600, fontSize: 13, lineHeight: '18px', color: theme.vars.palette.stage.on2 },
  '& .amount': { margin: '2px 0 16px' },
}));

const Who = styled('div')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  padding: '2px 0 12px',
  '& > div': { minWidth: 0 },
  // The same in both modes, like everything on a stage.
  '& > [aria-hidden]': { backgroundColor: theme.vars.palette.stage.on, color: theme.vars.palette.stage.main },
  '& strong': { display: 'block', fontWeight: 640, overflowWrap: 'anywhere' },
  '& small': {
    display: 'block',
    fontSize: 13,
    lineHeight: '18px',
    color: theme.vars.palette.stage.on2,
    overflowWrap: 'anywhere',
  },
}));

// Long: kept on one line where it fits, on a small phone too.
const Id = styled('span')({
  fontSize: 13,
  fontWeight: 560,
  '@media (max-width: 399.95px)': { fontSize: 11.5 },
});

interface PaymentStageProps {
  /** `You are paying`, `You are tipping`. */
  readonly label: string;
  readonly amount: string;
  readonly recipientId: string;
  readonly method: Method;
  readonly description: string;
  /** Shows the recipient with name and id, so that somebody who was sent a link can compare both. */
  readonly hasId?: boolean;
}

export function PaymentStage({
  label,
  amount,
  recipientId,
  method,
  description,
  hasId = false,
}: PaymentStageProps) {
  const { data: person } = usePersonQuery(recipientId);
  const name = nameOf(person, recipientId);
  const caution = cautionFor(person);
  const rows = [
    hasId
      ? { label: 'User ID', value: <Id>{recipientId}</Id> }
      : { label: 'Recipient', value: <bdi>{name}</bdi> },
    ...(!hasId && person?.isVerified ? [{ label: 'Username', value: <Handle person={person} /> }] : []),
    { label: 'Method', value: methodName(method) },
    ...(description === '' ? [] : [{ label: 'Description', value: `“${description}”` }]),
  ];
  return (
    <Stage light="card">
      <Inside>
        <div className="label">{label}</div>
        <div className="amount">
          <BigAmount decimal={amount} />
        </div>
        {hasId && (
          <Who role="group" aria-label="Recipient">
            <Avatar name={name} />
            <div>
              <strong>
                <bdi>{name}</bdi>
              </strong>
              {person && (
                <small>
                  <Handle person={person} />
                </small>
              )}
              {caution !== undefined && <small>{caution}</small>}
            </div>
          </Who>
        )}
        <Typography component="div">
          <DotLeaders rows={rows} />
        </Typography>
      </Inside>
    </Stage>
  );
}
