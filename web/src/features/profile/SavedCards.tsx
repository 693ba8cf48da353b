/** The cards that are charged for subscriptions and scheduled payments, and for tips in one tap. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { CreditCard, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { SavedCardAnswer } from '#contracts/api/payment-methods';
import { useFailure } from '../../shared/ui/failure.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { useToast } from '../../shared/ui/toasts.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { ConfirmDialog } from '../../shared/ui/ConfirmDialog.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { Row, Section } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { Disc, ListRow, RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { Badge } from '../../shared/ui/StatusChip.js';
import { NARROW } from '../../shared/ui/theme.js';
import { capitalised } from '../../shared/wording/people.js';
import { chooseCard, removeCard } from './outcomes.js';
import { useChooseCardMutation, useRemoveCardMutation, useSavedCardsQuery } from './saved-cards.js';

const SaveCardDialog = onDemand(() => import('../card-provider/SaveCardDialog.js'));

const nameOf = ({ brand, last4 }: SavedCardAnswer): string => `${capitalised(brand)} ••••${last4}`;
const expiryOf = ({ expMonth, expYear }: SavedCardAnswer): string =>
  `Expires ${String(expMonth).padStart(2, '0')}/${String(expYear).slice(-2)}`;

export function SavedCards() {
  const query = useSavedCardsQuery();
  const [isAdding, setAdding] = useState(false);
  const close = () => setAdding(false);
  return (
    <Section
      title="Saved cards"
      action={
        <Button
          variant="text"
          size="small"
          startIcon={<Plus size={18} aria-hidden="true" />}
          onClick={() => setAdding(true)}
          style={{ margin: '-8px -8px -8px 0' }}
        >
          Add Card
        </Button>
      }
    >
      <Loaded
        query={query}
        failed="Your saved cards could not be loaded."
        skeleton={<RowSkeletons count={1} label="Loading your saved cards" />}
        empty={<EmptyState size="line" title="No saved cards" />}
      >
        {(cards) => (
          <RowList label="Saved cards">
            {cards.map((card) => (
              <CardRow key={card.id} card={card} />
            ))}
          </RowList>
        )}
      </Loaded>
      {isAdding && (
        <SaveCardDialog
          reason="Nothing is charged now. It pays your subscriptions and scheduled payments, and whatever you choose it for."
          onClose={close}
          onSaved={close}
        />
      )}
    </Section>
  );
}

function CardRow({ card }: { readonly card: SavedCardAnswer }) {
  const toast = useToast();
  const fail = useFailure();
  const [choose, choosing] = useChooseCardMutation();
  const [remove] = useRemoveCardMutation();
  const [isRemoving, setRemoving] = useState(false);

  const makeDefault = async () => {
    try {
      await choose(card.id).unwrap();
      toast.success(...chooseCard.done(undefined, { name: nameOf(card) }));
    } catch (error) {
      fail(error, chooseCard.failed);
    }
  };
  const confirm = async () => {
    await remove(card.id).unwrap();
    toast.success(...removeCard.done(undefined, { name: nameOf(card) }));
  };
  return (
    <ListRow
      // The end of the number tells two cards apart: it is never cut off.
      title={<span style={{ whiteSpace: 'normal' }}>{nameOf(card)}</span>}
      detail={expiryOf(card)}
      start={
        // What tells two cards apart needs its room.
        <Disc data-shape="square" sx={{ [NARROW]: { display: 'none' } }}>
          <CreditCard size={20} strokeWidth={1.75} aria-hidden="true" />
        </Disc>
      }
      end={
        <Row gap={4}>
          {card.isDefault ? (
            <Badge tone="primary" label="Default" />
          ) : (
            <BusyButton
              variant="text"
              size="small"
              isBusy={choosing.isLoading}
              busyLabel=""
              aria-label={`Set Default: ${nameOf(card)}`}
              onClick={() => void makeDefault()}
            >
              Set Default
            </BusyButton>
          )}
          <IconButton
            aria-label={`Remove ${nameOf(card)}`}
            onClick={() => setRemoving(true)}
            sx={{ color: 'text.secondary', marginRight: '-10px' }}
          >
            <Trash2 size={20} strokeWidth={1.75} aria-hidden="true" />
          </IconButton>
          {isRemoving && (
            <ConfirmDialog
              title="Remove this card?"
              confirm="Remove Card"
              keep="Keep Card"
              failed={removeCard.failed}
              onConfirm={confirm}
              onClose={() => setRemoving(false)}
            >
              {nameOf(card)} can no longer pay for anything here. Without another card your subscriptions and
              scheduled payments need your balance.
            </ConfirmDialog>
          )}
        </Row>
      }
    />
  );
}
