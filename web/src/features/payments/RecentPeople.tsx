/** The people whom one has paid last, each one press away; a row as high as the card of who was chosen. */
import ButtonBase from '@mui/material/ButtonBase';
import { styled } from '@mui/material/styles';
import { useSession } from '../account/current-user.js';
import { nameOf, usePaidLatelyQuery } from '../transactions/transactions.js';
import { VisuallyHidden } from '../../shared/ui/Amount.js';
import { Avatar } from '../../shared/ui/Avatar.js';
import type { Transaction } from '#contracts/api/payments';

/** As many as there are usual amounts, which stand below in the same columns. */
const MOST_SHOWN = 4;

const Row = styled('ul')({
  display: 'grid',
  gridTemplateColumns: `repeat(${MOST_SHOWN}, minmax(0, 1fr))`,
  gap: 8,
  minHeight: 60,
  margin: 0,
  padding: 0,
  listStyle: 'none',
});

const Person = styled(ButtonBase)(({ theme }) => ({
  width: '100%',
  height: 60,
  flexDirection: 'column',
  gap: 4,
  borderRadius: 12,
  font: 'inherit',
  fontSize: 12,
  lineHeight: '16px',
  color: theme.vars.palette.text.secondary,
  '&:hover': { backgroundColor: theme.vars.palette.sunken },
  '&:focus-visible': { outlineOffset: -3 },
  '& bdi': { maxWidth: '100%', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
}));

/** Each person once, whom one has paid last first. Nobody whose name is gone: there is nobody to be paid. */
export const paidLately = (
  sent: readonly Transaction[],
): { readonly id: string; readonly name: string }[] => {
  const names = new Map<string, string>();
  for (const row of sent) {
    const name = nameOf(row);
    if (name !== null && !names.has(row.counterpartyId)) names.set(row.counterpartyId, name);
  }
  return [...names].slice(0, MOST_SHOWN).map(([id, name]) => ({ id, name }));
};

interface RecentPeopleProps {
  /** Keeps their room, for whoever is found. */
  readonly isHidden: boolean;
  readonly onChoose: (userId: string) => void;
}

export function RecentPeople({ isHidden, onChoose }: RecentPeopleProps) {
  const session = useSession();
  const hasPaid = session.status === 'signed-in' && session.user.transactionCount > 0;
  const { data, isLoading } = usePaidLatelyQuery(undefined, { skip: !hasPaid });
  const people = paidLately(data ?? []);
  if (!isLoading && people.length === 0) return null;
  // Room is kept, so that nothing below moves when they are there.
  if (isLoading || isHidden) return <Row aria-hidden="true" />;
  return (
    <Row aria-label="Recent people">
      {people.map(({ id, name }) => (
        <li key={id}>
          <Person onClick={() => onChoose(id)}>
            <Avatar name={name} size={36} />
            <bdi aria-hidden="true">{name.split(' ')[0]}</bdi>
            <VisuallyHidden>{name}</VisuallyHidden>
          </Person>
        </li>
      ))}
    </Row>
  );
}
