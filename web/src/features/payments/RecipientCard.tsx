/** The chosen recipient, by the server's word, whatever a link or a code claimed. */
import IconButton from '@mui/material/IconButton';
import Skeleton from '@mui/material/Skeleton';
import { styled } from '@mui/material/styles';
import { CircleCheck, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { nameOf, searchFailure, usePersonQuery } from './people.js';
import { cautionFor, VerifiedMark } from './Trust.js';
import { Avatar } from '../../shared/ui/Avatar.js';
import { FieldHelp } from '../../shared/ui/Field.js';
import { fullName } from '../../shared/wording/people.js';

const Tinted = styled('div')(({ theme }) => ({
  display: 'flex',
  alignItems: 'center',
  gap: 12,
  minHeight: 60,
  padding: '10px 6px 10px 14px',
  borderRadius: 12,
  backgroundColor: theme.vars.palette.tint.primary,
  '& > .who': { flex: 1, minWidth: 0 },
  '& .name': { display: 'flex', alignItems: 'center', gap: 5, fontWeight: 640 },
  '& .name > bdi': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  // However long the name is, the mark is seen.
  '& .name > svg': { flex: 'none', color: theme.vars.palette.success.main },
  '& .detail': {
    fontSize: 13,
    lineHeight: '18px',
    color: theme.vars.palette.text.secondary,
    overflow: 'hidden',
    textOverflow: 'ellipsis',
    whiteSpace: 'nowrap',
  },
  '& > .chosen': { color: theme.vars.palette.primary.main },
}));

interface PayeeCardProps {
  readonly userId: string;
  readonly onClear: () => void;
  /** Called with their id where they were named otherwise: a payment is to an id. */
  readonly onFound: (userId: string) => void;
  /** True if chosen from the result list, which is gone now: the focus moves here. */
  readonly takesFocus?: boolean;
}

export function RecipientCard({ userId, onClear, onFound, takesFocus = false }: PayeeCardProps) {
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (takesFocus) card.current?.focus();
  }, [takesFocus]);
  const { data: person, isLoading, error } = usePersonQuery(userId);
  const foundId = person?.id ?? userId;
  useEffect(() => {
    if (foundId !== userId) onFound(foundId);
  }, [foundId, userId, onFound]);
  const caution = cautionFor(person);
  const isKnown = person !== undefined && person !== null;
  return (
    <div>
      <Tinted ref={card} tabIndex={-1} role="group" aria-label="Recipient">
        <Avatar name={nameOf(person, userId)} ground="surface" />
        <div className="who" aria-live="polite">
          {isLoading ? (
            <div role="status" aria-label="Looking up the recipient" style={{ display: 'grid', gap: 8 }}>
              <Skeleton width="55%" height={14} />
              <Skeleton width="35%" height={11} />
            </div>
          ) : (
            <>
              <div className="name">
                <bdi>{nameOf(person, userId)}</bdi>
                {isKnown && <VerifiedMark person={person} />}
              </div>
              {isKnown && (
                <div className="detail">
                  <bdi>{fullName(person) === person.username ? userId : `@${person.username}`}</bdi>
                </div>
              )}
            </>
          )}
        </div>
        {isKnown && (
          <span className="chosen">
            <CircleCheck size={20} strokeWidth={1.75} aria-hidden="true" />
          </span>
        )}
        <IconButton aria-label="Choose somebody else" onClick={onClear} style={{ width: 44, height: 44 }}>
          <X size={18} strokeWidth={1.75} aria-hidden="true" />
        </IconButton>
      </Tinted>
      {caution !== undefined && <FieldHelp id={`caution-${userId}`}>{caution}</FieldHelp>}
      {error !== undefined && <FieldHelp id={`payee-${userId}`} error={searchFailure(error).sentence} />}
    </div>
  );
}
