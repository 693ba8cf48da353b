/** The code and the link that others pay by. */
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import IconButton from '@mui/material/IconButton';
import Skeleton from '@mui/material/Skeleton';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Typography from '@mui/material/Typography';
import { styled } from '@mui/material/styles';
import { Copy, Download, Info, Share2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { cardAmount } from '#contracts/plain/card-amount';
import { useUser } from '../account/current-user.js';
import { tipPath } from '../../shared/navigation/paths.js';
import { writtenAmount } from '../payments/form-rules.js';
import { StagePage } from '../shell/Page.js';
import { useToast } from '../../shared/ui/toasts.js';
import { AmountField } from '../../shared/ui/AmountField.js';
import { ErrorState } from '../../shared/ui/EmptyState.js';
import { Card, Note, Section } from '../../shared/ui/Layout.js';
import { ListRow, RowList } from '../../shared/ui/Rows.js';
import { DESKTOP, NARROW } from '../../shared/ui/theme.js';
import { fullName } from '../../shared/wording/people.js';
import { keepCodeAtHand } from '../account/keep-at-hand.js';
import { fileOf, fileOfAddress, pictureOf, pictureOfAddress, type NamedFile } from '../account/own-code.js';
import { TipPageSection } from '../tip-page/TipPageSection.js';
import {
  addressOf,
  rememberCode,
  rememberedCode,
  useTipPageQuery,
  type CodeKind,
} from '../tip-page/tip-page.js';
import { saveFile } from '../../shared/ui/save-file.js';

const Inside = styled('div')({
  padding: '4px 20px 28px',
  '& > .title': { minHeight: 40, display: 'flex', alignItems: 'center' },
  [DESKTOP]: { padding: '40px 20px 32px', '& > .title': { display: 'none' } },
});

const Ground = styled('div')({
  boxSizing: 'border-box',
  width: 312,
  maxWidth: '100%',
  aspectRatio: '1',
  margin: '12px auto 0',
  padding: 6,
  borderRadius: 20,
  backgroundColor: '#FFFFFF',
  display: 'grid',
  placeItems: 'center',
  '& img': { width: '100%', height: 'auto', display: 'block', borderRadius: 14 },
});

const Kinds = styled(ToggleButtonGroup)({
  display: 'flex',
  width: 312,
  maxWidth: '100%',
  margin: '14px auto 0',
  '& > button': { flex: 1 },
});

const Username = styled(ButtonBase)({
  display: 'flex',
  maxWidth: '100%',
  margin: '14px auto 0',
  padding: '0 12px',
  minHeight: 44,
  gap: 8,
  borderRadius: 10,
  font: 'inherit',
  fontSize: 17,
  fontWeight: 640,
  fontStretch: '108%',
  '& span': { minWidth: 0, overflowWrap: 'anywhere' },
});

const Actions = styled('div')({
  display: 'grid',
  gridTemplateColumns: '1.15fr 1fr 1.15fr',
  gap: 8,
  '& > button': { padding: 0, fontSize: 15 },
  [DESKTOP]: { marginTop: 24 },
  '& .MuiButton-startIcon': { marginRight: 8 },
  // There is room for three words, but not for three icons as well.
  [NARROW]: { '& .MuiButton-startIcon': { display: 'none' } },
});

const Value = styled('div')(({ theme }) => ({
  '& small': {
    display: 'block',
    fontSize: 13,
    lineHeight: '18px',
    fontWeight: 400,
    color: theme.vars.palette.text.secondary,
  },
  '& strong': { fontWeight: 600, whiteSpace: 'normal', overflowWrap: 'anywhere' },
}));

const Steps = styled('ol')(({ theme }) => ({
  margin: 0,
  padding: '2px 0',
  listStyle: 'none',
  display: 'grid',
  gap: 14,
  '& li': { display: 'flex', alignItems: 'center', gap: 12 },
  '& li > span': {
    flex: 'none',
    width: 28,
    height: 28,
    borderRadius: '50%',
    border: `1.5px solid ${theme.vars.palette.control}`,
    display: 'grid',
    placeItems: 'center',
    fontSize: 14,
    fontWeight: 620,
  },
}));

const STEPS = [
  'Show this code, or send the link.',
  'They scan it and choose an amount.',
  'The tip lands in your balance.',
];

const icon = { size: 18, strokeWidth: 1.75, 'aria-hidden': true } as const;

/** True if the person closed the share sheet without a choice. */
const isChangeOfMind = (error: unknown): boolean => error instanceof Error && error.name === 'AbortError';

/** A code to show, and its picture once it is drawn. */
interface ShownCode {
  readonly kind: CodeKind;
  readonly picture: string | undefined;
  /** Whether it is known yet which code it is. */
  readonly isKnown: boolean;
  /** Of the tip page, where the code leads there. */
  readonly address: string | undefined;
  readonly choose: (kind: CodeKind) => void;
}

/** `address` is the tip page's, once that is known and published. */
function useShownCode(
  address: string | undefined,
  { isLoading, isError }: { readonly isLoading: boolean; readonly isError: boolean },
): ShownCode {
  const { id, username } = useUser();
  const [picture, setPicture] = useState<string>();
  const [wanted, setWanted] = useState<CodeKind>(rememberedCode);
  const shownAddress = wanted === 'camera' ? address : undefined;
  // Nobody holds up one code and shows another a moment later.
  const isKnown = wanted === 'app' || !isLoading;
  useEffect(() => {
    if (!isKnown) return;
    let isCurrent = true;
    const made = shownAddress === undefined ? pictureOf({ id, username }) : pictureOfAddress(shownAddress);
    void made.then((drawn) => {
      if (!isCurrent) return;
      setPicture(drawn);
      // If the tip page could not be read, the other code only fills in: it is not kept.
      if (!isError) keepCodeAtHand(id, drawn);
    });
    return () => {
      isCurrent = false;
    };
  }, [id, username, shownAddress, isKnown, isError]);
  return {
    kind: isKnown && shownAddress === undefined ? 'app' : wanted,
    picture,
    isKnown,
    address: shownAddress,
    choose: (kind) => {
      setWanted(kind);
      rememberCode(kind);
    },
  };
}

/** What people do with the code and its link: copy a text, share an address, save the picture. */
function useHandingOut() {
  const user = useUser();
  const toast = useToast();
  const copy = async (text: string, done: string) => {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(done);
    } catch {
      toast.error('Copy Failed', 'Select the text and copy it by hand.');
    }
  };
  const share = async (url: string, copied: string) => {
    try {
      await navigator.share({ title: `Tip ${fullName(user)}`, url });
    } catch (error) {
      // Sharing is not available or failed: the address is copied instead.
      if (!isChangeOfMind(error)) await copy(url, copied);
    }
  };
  const save = async (made: () => Promise<NamedFile>) => {
    try {
      const { name, url } = await made();
      saveFile(name, url);
    } catch {
      toast.error('Save Failed', 'The picture could not be made. Please try again.');
    }
  };
  return { copy, share, save };
}
type HandingOut = ReturnType<typeof useHandingOut>;

export default function MyQrPage() {
  const { id, username } = useUser();
  const [amount, setAmount] = useState('');
  const tipPage = useTipPageQuery();
  const { data: page, isError } = tipPage;
  const address = page?.isPublished && page.path !== null ? addressOf(page.path) : undefined;
  const code = useShownCode(address, tipPage);
  const handingOut = useHandingOut();
  const { copy, share, save } = handingOut;
  const link = `${window.location.origin}${tipPath(id, { amount: writtenAmount(amount) })}`;
  return (
    <StagePage
      title="My QR Code"
      light="code"
      lightOnDesktop="codeCard"
      stage={
        <Code code={code} handle={page?.handle} hasTipPage={address !== undefined} handingOut={handingOut} />
      }
      aside={
        <>
          <RowList label="How to reach you">
            <CopyRow
              label="User ID"
              value={id}
              button="Copy user ID"
              onCopy={() => copy(id, 'User ID Copied')}
            />
            <CopyRow
              label="Payment link"
              value={link}
              button="Copy payment link"
              onCopy={() => copy(link, 'Payment Link Copied')}
            />
          </RowList>
          <AmountOnLink value={amount} onChange={setAmount} />
          <HowItWorks />
          {page && <TipPageSection page={page} />}
          {!page && isError && (
            <Section title="Tip page">
              <ErrorState onRetry={() => void tipPage.refetch()}>
                Your tip page could not be loaded.
              </ErrorState>
            </Section>
          )}
        </>
      }
    >
      <Actions>
        <Button startIcon={<Share2 {...icon} />} onClick={() => void share(link, 'Payment Link Copied')}>
          Share
        </Button>
        <Button
          variant="outlined"
          startIcon={<Download {...icon} />}
          disabled={!code.isKnown}
          onClick={() =>
            void save(() =>
              code.address === undefined ? fileOf({ id, username }) : fileOfAddress(username, code.address),
            )
          }
        >
          Save
        </Button>
        <Button
          variant="outlined"
          startIcon={<Copy {...icon} />}
          onClick={() => void copy(id, 'User ID Copied')}
        >
          Copy ID
        </Button>
      </Actions>
      <Button
        variant="outlined"
        startIcon={<Share2 {...icon} />}
        disabled={address === undefined}
        onClick={() => address !== undefined && void share(address, 'Tip Page Address Copied')}
      >
        Share tip page
      </Button>
      {page && address === undefined && (
        <Note icon={Info}>
          Publish your tip page first: then you can share it, and any camera reads your code.
        </Note>
      )}
    </StagePage>
  );
}

interface CodeProps {
  readonly code: ShownCode;
  readonly handle: string | null | undefined;
  readonly hasTipPage: boolean;
  readonly handingOut: HandingOut;
}

/** The code itself, which of the two it is, and the name that says the same in words. */
function Code({ code, handle, hasTipPage, handingOut }: CodeProps) {
  const { username } = useUser();
  return (
    <Inside>
      <Typography variant="h1" component="div" className="title" aria-hidden="true">
        My QR Code
      </Typography>
      <Ground>
        {code.picture === undefined ? (
          <Skeleton variant="rectangular" width="100%" height="100%" />
        ) : (
          <img
            src={code.picture}
            width={300}
            height={300}
            alt={
              code.address === undefined
                ? `QR code to pay @${username}`
                : `QR code of your tip page @${handle ?? ''}`
            }
          />
        )}
      </Ground>
      <Kinds
        exclusive
        value={code.kind}
        aria-label="Which code"
        onChange={(_event, next: CodeKind | null) => next !== null && code.choose(next)}
      >
        <ToggleButton value="app">In the app</ToggleButton>
        <ToggleButton value="camera" disabled={!hasTipPage}>
          For any camera
        </ToggleButton>
      </Kinds>
      <Username
        aria-label={`Copy username @${username}`}
        onClick={() => void handingOut.copy(username, 'Username Copied')}
      >
        <span>@{username}</span>
        <Copy {...icon} />
      </Username>
    </Inside>
  );
}

interface CopyRowProps {
  readonly label: string;
  readonly value: string;
  readonly button: string;
  readonly onCopy: () => Promise<void>;
}

function CopyRow({ label, value, button, onCopy }: CopyRowProps) {
  return (
    <ListRow
      title={
        <Value>
          <small>{label}</small>
          <strong>{value}</strong>
        </Value>
      }
      end={
        <IconButton aria-label={button} onClick={() => void onCopy()}>
          <Copy {...icon} />
        </IconButton>
      }
    />
  );
}

function AmountOnLink({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (next: string) => void;
}) {
  const asked = cardAmount(value);
  const problem = value.trim() !== '' && 'sentence' in asked ? asked.sentence : undefined;
  return (
    <Card>
      <AmountField
        plain
        label="Amount on the link (optional)"
        value={value}
        onChange={onChange}
        help={
          problem === undefined
            ? 'With an amount, the link leads straight to a tip of it.'
            : `${problem} The link is without an amount.`
        }
      />
    </Card>
  );
}

function HowItWorks() {
  return (
    <Section title="How It Works">
      <Card padding="18px 16px">
        <Steps>
          {STEPS.map((step, index) => (
            <li key={step}>
              <span aria-hidden="true">{index + 1}</span>
              {step}
            </li>
          ))}
        </Steps>
      </Card>
    </Section>
  );
}
