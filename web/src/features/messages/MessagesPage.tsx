/** What the user was told: what came while they were away on the stage, the rest by day. */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useEffect } from 'react';
import { Link } from 'react-router-dom';
import type { Message, MessagesSummary } from '#contracts/api/messages';
import { Private } from '../account/Privacy.js';
import { Page } from '../shell/Page.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { BigAmount } from '../../shared/ui/Amount.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { Section, Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { RowList, RowSkeletons } from '../../shared/ui/Rows.js';
import { usePieces } from '../../shared/ui/ShowMore.js';
import { Stage } from '../../shared/ui/Stage.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useNow } from '../../shared/ui/use-now.js';
import { sentenceFor } from '../../shared/api/call.js';
import { daysOf } from './days.js';
import { MessageRow } from './MessageRow.js';
import { useMessagesQuery, useMessagesSummaryQuery, useReadMessagesMutation } from './messages.js';

const AT_FIRST = 14;

export default function MessagesPage() {
  const query = useMessagesQuery();
  const summary = useMessagesSummaryQuery();
  const { refetch } = query;
  const { refetch: refetchSummary } = summary;
  // Messages come on their own: what was read at an earlier visit is no longer all.
  useEffect(() => {
    void refetch();
    void refetchSummary();
  }, [refetch, refetchSummary]);
  const [read] = useReadMessagesMutation();
  const toast = useToast();
  const isSummaryHere = summary.data !== undefined || summary.isError;
  const newest = query.data?.[0];
  const mark = async (which: Parameters<typeof read>[0]): Promise<void> => {
    const { error } = await read(which);
    if (error) toast.error('Update Failed', sentenceFor(error, 'The messages could not be marked as read.'));
  };
  const hasUnread = (summary.data?.unread ?? 0) > 0;
  return (
    <Page
      title="Messages"
      width="single"
      action={
        hasUnread &&
        newest && (
          <Button
            variant="text"
            size="small"
            style={{ marginRight: -10 }}
            onClick={() => void mark({ through: newest.id })}
          >
            Mark all as read
          </Button>
        )
      }
    >
      {query.data && summary.data?.away && <Away {...summary.data.away} />}
      <Loaded
        // Both at once: the stage stands above the list, and would push it down.
        query={isSummaryHere ? query : { ...query, data: undefined }}
        failed="Your messages could not be loaded."
        skeleton={<RowSkeletons label="Loading your messages" />}
        empty={
          <EmptyState title="No messages yet">
            Sign-ins, payouts and payments that need you are told here and by mail.
          </EmptyState>
        }
      >
        {(messages) => <Days messages={messages} onAnswer={(id) => void mark({ ids: [id] })} />}
      </Loaded>
    </Page>
  );
}

/** "14 tips, 9 with a name". */
function tipsOf({ tips, named }: NonNullable<MessagesSummary['away']>): string {
  const count = tips === 1 ? '1 tip' : `${tips} tips`;
  return named === 0 ? count : `${count}, ${named} with a name`;
}

function Away(away: NonNullable<MessagesSummary['away']>) {
  return (
    <Stage light="card">
      <div style={{ padding: 20 }}>
        <Typography variant="label" component="div" sx={{ color: 'stage.on2' }}>
          While you were away
        </Typography>
        <div style={{ minHeight: 50 }}>
          <Private size="big">
            <BigAmount decimal={away.amount} size={44} />
          </Private>
        </div>
        <Typography sx={{ color: 'stage.on2' }}>{tipsOf(away)}</Typography>
        <Button component={Link} to={PATHS.history} variant="stage" style={{ marginTop: 16 }}>
          Read the notes
        </Button>
      </div>
    </Stage>
  );
}

function Days({
  messages,
  onAnswer,
}: {
  readonly messages: readonly Message[];
  readonly onAnswer: (id: string) => void;
}) {
  const now = useNow();
  const { shown, more } = usePieces(daysOf(messages, now), AT_FIRST);
  return (
    <Stack gap={20}>
      {shown.map(({ key, title, messages: ofDay, unread }) => (
        <Section
          key={key}
          title={title}
          action={
            unread > 0 && (
              <Typography variant="body2" color="textSecondary">
                {unread} new
              </Typography>
            )
          }
        >
          <RowList label={title}>
            {ofDay.map((message) => (
              <MessageRow key={message.id} message={message} onAnswer={() => onAnswer(message.id)} />
            ))}
          </RowList>
        </Section>
      ))}
      {more}
    </Stack>
  );
}
