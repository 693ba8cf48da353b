/** What the user was told: what came while they were away on the stage, the rest by day. */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { useCallback, useEffect, useMemo } from 'react';
import { Link } from 'react-router-dom';
import type { Message, MessagesSummary } from '#contracts/api/messages';
import { Private } from '../account/Privacy.js';
import { Page } from '../shell/Page.js';
import { PATHS } from '../../shared/navigation/paths.js';
import { BigAmount } from '../../shared/ui/Amount.js';
import { EmptyState } from '../../shared/ui/EmptyState.js';
import { DayRows, placeOf } from '../../shared/ui/DayRows.js';
import { Stack } from '../../shared/ui/Layout.js';
import { Loaded } from '../../shared/ui/Loaded.js';
import { RowSkeletons } from '../../shared/ui/Rows.js';
import { Stage } from '../../shared/ui/Stage.js';
import { useToast } from '../../shared/ui/toasts.js';
import { useNow } from '../../shared/ui/use-now.js';
import { sentenceFor } from '../../shared/api/call.js';
import { MoreRows } from '../transactions/MoreRows.js';
import { daysOf, linesOf, type HeadLine, type MessageLine } from './days.js';
import { MessageRow } from './MessageRow.js';
import { useMessagesSummaryQuery } from '../live/messages.js';
import { MOST_ROWS } from '../../shared/api/growing-list.js';
import {
  PAGE_ROWS,
  useLazyEarlierMessagesQuery,
  useMessagesQuery,
  useOutdatedMessages,
  useReadMessagesMutation,
} from './list.js';

const Headings = styled('div')({
  '& .head': {
    display: 'flex',
    alignItems: 'baseline',
    justifyContent: 'space-between',
    gap: 12,
    padding: '20px 0 10px',
  },
  '& .head:first-of-type': { paddingTop: 0 },
});

export default function MessagesPage() {
  const query = useMessagesQuery();
  const summary = useMessagesSummaryQuery();
  const { data, refetch, isFetching } = query;
  const { next } = data ?? {};
  const messages = data && data.rows;
  const list = { ...query, data: messages };
  const outdate = useOutdatedMessages();
  const { refetch: refetchSummary } = summary;
  // Messages come on their own: what was read at an earlier visit is no longer all.
  useEffect(() => {
    outdate();
    void refetch();
    void refetchSummary();
  }, [outdate, refetch, refetchSummary]);
  const [read] = useReadMessagesMutation();
  const toast = useToast();
  const isSummaryHere = summary.data !== undefined || summary.isError;
  const newest = messages?.[0];
  const mark = useCallback(
    async (which: Parameters<typeof read>[0]): Promise<void> => {
      const { error } = await read(which);
      if (error)
        toast.error('Update Failed', sentenceFor(error, 'The messages could not be marked as read.'));
    },
    [read, toast],
  );
  const [readMore, earlier, { lastArg }] = useLazyEarlierMessagesQuery();
  // What is said of earlier ones is said of those that follow now.
  const isAskedFor = typeof lastArg === 'object' && lastArg.cursor === next;
  const readEarlier = useCallback(
    (limit: number): void => {
      if (next !== undefined) void readMore({ cursor: next, limit });
    },
    [next, readMore],
  );
  const answer = useCallback((id: string): void => void mark({ ids: [id] }), [mark]);
  const hasUnread = summary.data ? summary.data.unread > 0 : messages?.some(({ isRead }) => !isRead);
  return (
    <Page
      title="Messages"
      width="list"
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
      {messages && summary.data?.away && <Away {...summary.data.away} />}
      <Loaded
        // Both at once: the stage stands above the list, and would push it down.
        query={isSummaryHere ? list : { ...list, data: undefined }}
        failed="Your messages could not be loaded."
        skeleton={<RowSkeletons label="Loading your messages" />}
        empty={
          <EmptyState title="No messages yet">
            Sign-ins, payouts and payments that need you are told here and by mail.
          </EmptyState>
        }
      >
        {(read) => (
          <Days
            messages={read}
            isSummedUp={summary.data !== undefined}
            hasEarlier={next !== undefined}
            // While what is there is read again, nothing further is.
            isReading={isFetching || (isAskedFor && earlier.isFetching)}
            hasFailed={isAskedFor && earlier.isError}
            onEarlier={readEarlier}
            onAnswer={answer}
          />
        )}
      </Loaded>
    </Page>
  );
}

/** "14 tips, 9 with a name"; "1 tip, with a name". */
function tipsOf({ tips, named }: NonNullable<MessagesSummary['away']>): string {
  const count = tips === 1 ? '1 tip' : `${tips} tips`;
  if (named === 0) return count;
  return `${count}, ${named < tips ? `${named} with` : tips === 1 ? 'with' : 'all with'} a name`;
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

interface DaysProps {
  readonly messages: readonly Message[];
  /** Whether what nobody looked at yet could be summed up above. */
  readonly isSummedUp: boolean;
  /** Whether there are earlier ones, which were not read from the server yet. */
  readonly hasEarlier: boolean;
  readonly isReading: boolean;
  /** Whether the last read of earlier ones did; its button reads again. */
  readonly hasFailed: boolean;
  /** Asks for so many of them. */
  readonly onEarlier: (limit: number) => void;
  readonly onAnswer: (id: string) => void;
}

const ESTIMATES = { head: 54, row: 96 };

function Days({ messages, isSummedUp, hasEarlier, isReading, hasFailed, onEarlier, onAnswer }: DaysProps) {
  const now = useNow();
  const days = useMemo(() => daysOf(messages, now, isSummedUp), [messages, now, isSummedUp]);
  // A day that is not there whole would tell a sum of some of its payments.
  const whole = useMemo(() => (hasEarlier ? days.slice(0, -1) : days), [days, hasEarlier]);
  const lines = useMemo(() => linesOf(whole), [whole]);
  const titles = useMemo(() => new Map(whole.map(({ key, title }) => [key, title])), [whole]);
  const readOn = hasEarlier && !isReading && !hasFailed && whole.length === 0;
  // An evening of tips that nobody looked at may fill the first two hundred pages.
  useEffect(() => {
    if (readOn) onEarlier(MOST_ROWS);
  }, [readOn, onEarlier]);
  const onMore = useCallback((): void => onEarlier(PAGE_ROWS), [onEarlier]);
  return (
    <Stack gap={20}>
      <Headings>
        <DayRows<MessageLine, HeadLine>
          lines={lines}
          estimates={ESTIMATES}
          titleOf={(day) => titles.get(day)}
          heading={({ title, unread }, lineRef) => (
            <div className="head" ref={lineRef}>
              <Typography variant="h2">{title}</Typography>
              {unread > 0 && (
                <Typography variant="body2" color="textSecondary">
                  {unread} new
                </Typography>
              )}
            </div>
          )}
          row={(line, lineRef) => (
            <MessageRow message={line.message} lineRef={lineRef} place={placeOf(line)} onAnswer={onAnswer} />
          )}
        />
      </Headings>
      {hasEarlier && <MoreRows of="messages" isLoading={isReading} hasFailed={hasFailed} onMore={onMore} />}
    </Stack>
  );
}
