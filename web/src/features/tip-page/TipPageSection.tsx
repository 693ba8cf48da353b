/** Setting up one's public tip page, and what it is printed on. Stands beside one's own code. */
import FormControlLabel from '@mui/material/FormControlLabel';
import MuiLink from '@mui/material/Link';
import Switch from '@mui/material/Switch';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import { styled } from '@mui/material/styles';
import { Camera } from 'lucide-react';
import { useState, type FormEvent } from 'react';
import { Link } from 'react-router-dom';
import type { PrintKind, PrintPaper, TipPageAnswer } from '#contracts/api/tip-page';
import { handleProblem } from '#contracts/plain/handle';
import { PATHS } from '../../shared/navigation/paths.js';
import { isCallError, isNotConfirmed, isUnauthorized } from '../../shared/api/call.js';
import { BusyButton } from '../../shared/ui/BusyButton.js';
import { useFailure } from '../../shared/ui/failure.js';
import { Field } from '../../shared/ui/Field.js';
import { Card, Note, Row, Section, Stack } from '../../shared/ui/Layout.js';
import { saveMade } from '../../shared/ui/save-file.js';
import { touchRoom } from '../../shared/ui/theme.js';
import { chooseHandle, describeTipPage, publishTipPage } from './outcomes.js';
import { useToast } from '../../shared/ui/toasts.js';
import {
  addressOf,
  useChooseHandleMutation,
  useDescribeTipPageMutation,
  usePrintTipPageMutation,
  usePublishTipPageMutation,
} from './tip-page.js';

/** In a narrow window below each other. */
const Wrapped = styled(Row)({ flexWrap: 'wrap', '& > a': touchRoom(11) });

const PRINTS: readonly { readonly kind: PrintKind; readonly label: string; readonly paper: PrintPaper }[] = [
  { kind: 'poster', label: 'Poster', paper: 'a4' },
  { kind: 'table-card', label: 'Table card', paper: 'a6' },
  { kind: 'stickers', label: 'Stickers', paper: 'a4' },
];

/** What the server says of a refusal, to stand at a field. */
const reasonOf = (error: unknown): string | undefined =>
  isUnauthorized(error) || isNotConfirmed(error) || !isCallError(error) ? undefined : error.sentence;

export function TipPageSection({ page }: { readonly page: TipPageAnswer }) {
  return (
    <Section title="Tip page">
      <Stack gap={12}>
        <Card padding={16}>
          <Stack gap={16}>
            <Note>
              A page of your own that any phone’s camera opens. Whoever sees it can tip you without an
              account.
            </Note>
            <Handle page={page} />
            {page.path !== null && <Words page={page} path={page.path} />}
          </Stack>
        </Card>
        {page.isPublished && <Prints />}
      </Stack>
    </Section>
  );
}

/**
 * What stands in a field: what was typed, and what is saved where nothing was: another device may change
 * that.
 */
function useTyped(
  saved: string,
): [text: string, type: (text: string) => void, keep: (sent: string, answered: string) => void] {
  const [typed, type] = useState<string>();
  // Saved, or typed back: from here on it follows again.
  if (typed !== undefined && typed === saved) type(undefined);
  // What was typed on while it was being saved stays.
  const keep = (sent: string, answered: string) => type((now) => (now === sent ? answered : now));
  return [typed ?? saved, type, keep];
}

function Handle({ page }: { readonly page: TipPageAnswer }) {
  const toast = useToast();
  const failed = useFailure();
  const [choose, { isLoading }] = useChooseHandleMutation();
  const [handle, setHandle, keepHandle] = useTyped(page.handle ?? page.suggestedHandle ?? '');
  const [problem, setProblem] = useState<string>();
  const written = handle.trim().replace(/^@/, '').toLowerCase();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = handleProblem(written);
    setProblem(wrong);
    if (wrong !== undefined) return;
    try {
      const answer = await choose({ handle: written }).unwrap();
      keepHandle(handle, answer.handle ?? written);
      toast.success(...chooseHandle.done(answer, undefined));
    } catch (error) {
      failed(error, chooseHandle.failed, chooseHandle.failedTitle);
      setProblem(reasonOf(error));
    }
  };
  return (
    <form onSubmit={(event) => void save(event)} noValidate>
      <Stack gap={10}>
        <Field
          label="Handle"
          value={handle}
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => {
            setHandle(target.value);
            setProblem(undefined);
          }}
          help={page.handle === null ? 'It stays yours for good: nobody else can ever have it.' : undefined}
          {...(problem === undefined ? {} : { error: problem })}
        />
        {written !== page.handle && (
          <BusyButton type="submit" variant="outlined" isBusy={isLoading} busyLabel="Saving the handle">
            {page.handle === null ? 'Claim Handle' : 'Change Handle'}
          </BusyButton>
        )}
      </Stack>
    </form>
  );
}

function Words({ page, path }: { readonly page: TipPageAnswer; readonly path: string }) {
  const toast = useToast();
  const failed = useFailure();
  const [describe, describing] = useDescribeTipPageMutation();
  const [publish, publishing] = usePublishTipPageMutation();
  const [stageName, setStageName, keepStageName] = useTyped(page.stageName);
  const [line, setLine, keepLine] = useTyped(page.line);
  const [problem, setProblem] = useState<string>();
  const { isListed, isPublished } = page;
  const isChanged = stageName !== page.stageName || line !== page.line;
  const save = async () => {
    setProblem(undefined);
    try {
      const answer = await describe({ stageName, line, isListed }).unwrap();
      keepStageName(stageName, answer.stageName);
      keepLine(line, answer.line);
      toast.success(...describeTipPage.done(answer, undefined));
    } catch (error) {
      failed(error, describeTipPage.failed, describeTipPage.failedTitle);
      setProblem(reasonOf(error));
    }
  };
  /**
   * With the words that are saved, or are on their way: nobody is shown what is still being typed, and
   * nothing is taken back.
   */
  const list = async (next: boolean) => {
    const words = (describing.isLoading ? describing.originalArgs : undefined) ?? page;
    try {
      await describe({ stageName: words.stageName, line: words.line, isListed: next }).unwrap();
    } catch (error) {
      failed(error, describeTipPage.failed, describeTipPage.failedTitle);
    }
  };
  const turn = async () => {
    try {
      const answer = await publish({ isPublished: !isPublished }).unwrap();
      if (isPublished) toast.success('Tip Page Taken Back', 'Nobody but you can open it now.');
      else toast.success(...publishTipPage.done(answer, undefined));
    } catch (error) {
      failed(error, publishTipPage.failed, isPublished ? 'Not Taken Back' : publishTipPage.failedTitle);
    }
  };
  return (
    <Stack gap={14}>
      <Field
        label="Stage name (optional)"
        value={stageName}
        inputProps={{ maxLength: 60 }}
        onChange={({ target }) => {
          setStageName(target.value);
          setProblem(undefined);
        }}
        help="Without one the page shows your name. In privacy mode it shows your handle only."
        {...(problem === undefined ? {} : { error: problem })}
      />
      <Field
        label="Line under your name (optional)"
        value={line}
        inputProps={{ maxLength: 80 }}
        placeholder="plays the piano · Lantern Hall tonight"
        onChange={({ target }) => setLine(target.value)}
      />
      {isChanged && (
        <BusyButton
          variant="outlined"
          isBusy={describing.isLoading}
          busyLabel="Saving the page"
          onClick={() => void save()}
        >
          Save Tip Page
        </BusyButton>
      )}
      <Note icon={Camera}>
        Its picture is the one on{' '}
        <MuiLink component={Link} to={PATHS.profile}>
          your profile
        </MuiLink>
        .
      </Note>
      <FormControlLabel
        control={<Switch checked={isListed} onChange={({ target }) => void list(target.checked)} />}
        label="Search engines may list it"
        style={{ margin: 0, gap: 12 }}
      />
      <Wrapped>
        <BusyButton
          variant={isPublished ? 'outlined' : 'contained'}
          isBusy={publishing.isLoading}
          busyLabel="One moment"
          onClick={() => void turn()}
        >
          {isPublished ? 'Take Page Back' : 'Publish Tip Page'}
        </BusyButton>
        <MuiLink href={addressOf(path)} target="_blank" rel="noopener">
          {isPublished ? 'Open the page' : 'Preview'}
        </MuiLink>
      </Wrapped>
    </Stack>
  );
}

function Prints() {
  const fail = useFailure();
  const [print, { isLoading, originalArgs }] = usePrintTipPageMutation();
  const [isLetter, setLetter] = useState(false);
  const save = async (kind: PrintKind, paper: PrintPaper) => {
    try {
      saveMade(`encore-${kind}.pdf`, await print({ kind, paper }).unwrap());
    } catch (error) {
      fail(error, 'The PDF could not be made. Please try again.');
    }
  };
  return (
    <Card padding={16}>
      <Stack gap={12}>
        <Note>To print: the code stands on each, and the camera of any phone reads it.</Note>
        <ToggleButtonGroup
          exclusive
          fullWidth
          value={isLetter ? 'letter' : 'a4'}
          aria-label="Paper"
          onChange={(_event, next: string | null) => next !== null && setLetter(next === 'letter')}
        >
          <ToggleButton value="a4">A4 and A6</ToggleButton>
          <ToggleButton value="letter">Letter</ToggleButton>
        </ToggleButtonGroup>
        <Wrapped>
          {PRINTS.map(({ kind, label, paper }) => (
            <BusyButton
              key={kind}
              variant="outlined"
              isBusy={isLoading && originalArgs?.kind === kind}
              busyLabel=""
              onClick={() => void save(kind, isLetter ? 'letter' : paper)}
            >
              {label}
            </BusyButton>
          ))}
        </Wrapped>
      </Stack>
    </Card>
  );
}
