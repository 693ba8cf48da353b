/** Three ways to choose the recipient: phone number (not yet available), QR code, search. */
import Button from '@mui/material/Button';
import ButtonBase from '@mui/material/ButtonBase';
import InputAdornment from '@mui/material/InputAdornment';
import OutlinedInput, { type OutlinedInputProps } from '@mui/material/OutlinedInput';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { styled } from '@mui/material/styles';
import { ScanLine, Search, Smartphone } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { FoundUser } from '#contracts/api/users';
import { nameOf, searchFailure, useLazyPersonQuery } from './people.js';
import { onDemand } from '../../shared/ui/on-demand.js';
import { useToast } from '../../shared/ui/toasts.js';
import { Avatar } from '../../shared/ui/Avatar.js';
import { BusyDots } from '../../shared/ui/BusyButton.js';
import { FieldHelp } from '../../shared/ui/Field.js';
import { Stack } from '../../shared/ui/Layout.js';
import { RecentPeople } from './RecentPeople.js';
import { RecipientCard } from './RecipientCard.js';
import { Handle } from './Trust.js';
import { PHONE_MAX_LENGTH, phoneNumber } from './phone-number.js';
import type { ScannedRecipient } from '../scanner/scanned-recipient.js';

// The scanner is large, and most people never open it.
const loadScanner = () => import('../scanner/ScannerDialog.js');
const ScannerDialog = onDemand(loadScanner);

type Way = 'phone' | 'qr' | 'search';
const WAYS = [
  { way: 'phone', label: 'Phone', icon: Smartphone },
  { way: 'qr', label: 'QR', icon: ScanLine },
  { way: 'search', label: 'Search', icon: Search },
] as const;

/**
 * Somebody is searched for from the first letter on: until they are found, nobody else is to be pressed by
 * mistake.
 */
type SearchState = 'none' | 'typed' | 'found';

interface RecipientEntryProps {
  /** The chosen user's id, or by what a link or a code names them; empty if nobody is chosen. */
  readonly value: string;
  readonly onChange: (userId: string) => void;
  /** Called if a scanned code names an amount. */
  readonly onAmount?: (amount: string) => void;
  readonly error?: string;
}

export function RecipientEntry({ value, onChange, onAmount, error }: RecipientEntryProps) {
  const id = useId();
  const [way, setWay] = useState<Way>('search');
  const [isScanning, setScanning] = useState(false);
  const [picked, setPicked] = useState('');
  const [search, setSearch] = useState<SearchState>('none');
  const panel = useRef<HTMLDivElement>(null);

  const clear = () => {
    onChange('');
    // The button that had the focus is gone: the focus returns to the search.
    panel.current?.querySelector<HTMLElement>('input, button')?.focus();
  };
  const chosen = value !== '' && (
    <RecipientCard
      key={value}
      userId={value}
      onClear={clear}
      onFound={onChange}
      takesFocus={picked === value}
    />
  );
  const pick = (userId: string) => {
    setPicked(userId);
    onChange(userId);
  };
  const scanned = (recipient: ScannedRecipient) => {
    onChange(recipient.userId);
    if (recipient.amount !== undefined) onAmount?.(recipient.amount);
  };

  return (
    <div>
      <Tabs
        value={way}
        aria-label="Recipient"
        onChange={(_event, next: Way) => {
          setWay(next);
          // The field of the search begins anew.
          setSearch('none');
        }}
      >
        {WAYS.map(({ way: each, label, icon: Icon }) => (
          <Tab
            key={each}
            id={`${id}-${each}`}
            aria-controls={`${id}-panel`}
            value={each}
            label={label}
            icon={<Icon size={18} strokeWidth={1.75} aria-hidden="true" />}
          />
        ))}
      </Tabs>
      <div
        ref={panel}
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${way}`}
        style={{ paddingTop: 14 }}
      >
        <Stack>
          {way === 'phone' && <PhoneSearch />}
          {way === 'qr' && (
            <Button
              variant="outlined"
              startIcon={<ScanLine size={20} strokeWidth={1.75} aria-hidden="true" />}
              onPointerEnter={() => void loadScanner().catch(() => undefined)}
              onClick={() => setScanning(true)}
            >
              Scan QR Code
            </Button>
          )}
          {way === 'search' && (
            <UserSearch chosen={value} onChoose={pick} onSearch={setSearch} error={error} />
          )}
          {way !== 'search' && error !== undefined && <FieldHelp id={`${id}-error`} error={error} />}
          {chosen}
          {way === 'search' && value === '' && search !== 'found' && (
            <RecentPeople isHidden={search === 'typed'} onChoose={pick} />
          )}
        </Stack>
      </div>
      {isScanning && <ScannerDialog onClose={() => setScanning(false)} onScanned={scanned} />}
    </div>
  );
}

/** Enter in these fields searches; it must not submit the surrounding form. */
const onEnter = (act: () => void) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter') return;
  event.preventDefault();
  act();
};

const Line = styled('div')({
  display: 'flex',
  gap: 8,
  '& > .MuiInputBase-root': { flex: 1, minWidth: 0 },
  '& > button': { padding: '0 14px' },
});

interface SearchLineProps extends OutlinedInputProps {
  readonly label: string;
  readonly problem: string | undefined;
  readonly onSearch: () => void;
  /** Beside the field. */
  readonly button: ReactNode;
}

/** The visible tab names the field, so the label is for screen readers. */
function SearchLine({
  label,
  problem,
  onSearch,
  button,
  inputProps,
  placeholder = label,
  ...input
}: SearchLineProps) {
  const id = useId();
  return (
    <div>
      <Line>
        <OutlinedInput
          {...input}
          autoComplete="off"
          placeholder={placeholder}
          error={problem !== undefined}
          onKeyDown={onEnter(onSearch)}
          inputProps={{
            ...inputProps,
            'aria-label': label,
            'aria-describedby': problem === undefined ? undefined : id,
            enterKeyHint: 'search',
          }}
        />
        {button}
      </Line>
      <FieldHelp id={id} error={problem} />
    </div>
  );
}

function PhoneSearch() {
  const toast = useToast();
  const [phone, setPhone] = useState('');
  const [problem, setProblem] = useState<string>();
  const search = () => {
    const sentence = 'Please enter a phone number';
    setProblem(phone === '' ? sentence : undefined);
    if (phone === '') toast.error('Missing Phone Number', sentence);
    else toast('Phone Search Coming Soon', 'Until then, search by user ID or email, or scan a QR code.');
  };
  return (
    <SearchLine
      label="Phone number"
      type="tel"
      value={phone}
      problem={problem}
      onChange={(event) => {
        setPhone(phoneNumber(event.target.value));
        setProblem(undefined);
      }}
      onSearch={search}
      inputProps={{ maxLength: PHONE_MAX_LENGTH, inputMode: 'tel' }}
      startAdornment={
        <InputAdornment position="start">
          <Smartphone size={18} strokeWidth={1.75} aria-hidden="true" />
        </InputAdornment>
      }
      button={
        <Button variant="outlined" onClick={search}>
          Search
        </Button>
      }
    />
  );
}

// 48 units of the grid at most; longer lists scroll.
const Results = styled('ul')(({ theme }) => ({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  maxHeight: theme.spacing(48),
  overflowY: 'auto',
  borderRadius: 12,
  border: `1px solid ${theme.vars.palette.divider}`,
  '& li + li': { borderTop: `1px solid ${theme.vars.palette.divider}` },
}));

const Result = styled(ButtonBase)(({ theme }) => ({
  width: '100%',
  minHeight: 60,
  padding: '10px 14px',
  gap: 12,
  justifyContent: 'flex-start',
  textAlign: 'left',
  font: 'inherit',
  '&:hover': { backgroundColor: theme.vars.palette.sunken },
  '&:focus-visible': { outlineOffset: -3 },
  '& strong': { display: 'block', fontWeight: 640 },
  '& small': { display: 'block', fontSize: 13, lineHeight: '18px', color: theme.vars.palette.text.secondary },
  '& > span:last-of-type': { minWidth: 0, overflowWrap: 'anywhere' },
}));

/** An id of ours, whole: it is looked up as soon as it is typed or pasted. */
const WHOLE_ID = /^usr_[a-z0-9]{26}$/;

interface UserSearchProps {
  readonly chosen: string;
  readonly onChoose: (userId: string) => void;
  readonly onSearch: (state: SearchState) => void;
  readonly error: string | undefined;
}

function UserSearch({ chosen, onChoose, onSearch, error }: UserSearchProps) {
  const toast = useToast();
  const [find, { isFetching }] = useLazyPersonQuery();
  const [term, setTerm] = useState('');
  const [results, setResults] = useState<readonly FoundUser[]>([]);
  const [problem, setProblem] = useState<string>();

  const refuse = (title: string, sentence: string) => {
    setProblem(sentence);
    toast.error(title, sentence);
  };
  // The latest search term: earlier answers are ignored.
  const latest = useRef('');
  // Nobody waits for one once the field is gone.
  useEffect(
    () => () => {
      latest.current = '';
    },
    [],
  );
  const forget = () => {
    latest.current = '';
    setResults([]);
    setProblem(undefined);
  };
  const search = async (written = term) => {
    // With a chosen recipient the search is off until that choice is cleared.
    if (chosen !== '') return;
    const asked = written.trim();
    forget();
    toast.again();
    if (asked === '') return refuse('Missing Search Term', 'Please enter a user ID or email to search');
    latest.current = asked;
    onSearch('typed');
    try {
      const person = await find(asked).unwrap();
      if (person === null || latest.current !== asked) return;
      setResults([person]);
      onSearch('found');
    } catch (failure) {
      if (latest.current !== asked) return;
      onSearch('none');
      const { title, sentence } = searchFailure(failure);
      refuse(title, sentence);
    }
  };
  const choose = (person: FoundUser) => {
    forget();
    onSearch('none');
    onChoose(person.id);
  };

  return (
    <>
      <SearchLine
        label="User ID or email"
        // On the smallest phones there is no room for more.
        placeholder="@name, ID, email"
        type="text"
        value={term}
        problem={problem ?? error}
        onChange={({ target }) => {
          setTerm(target.value);
          forget();
          onSearch(target.value === '' ? 'none' : 'typed');
          if (WHOLE_ID.test(target.value.trim())) void search(target.value);
        }}
        onSearch={() => void search()}
        inputProps={{ inputMode: 'email', autoCapitalize: 'none', spellCheck: false }}
        startAdornment={
          <InputAdornment position="start">
            <Search size={18} strokeWidth={1.75} aria-hidden="true" />
          </InputAdornment>
        }
        button={
          chosen === '' && (
            <Button
              variant="outlined"
              aria-disabled={isFetching || undefined}
              onClick={isFetching ? undefined : () => void search()}
            >
              {isFetching ? <BusyDots /> : 'Search'}
            </Button>
          )
        }
      />
      {chosen === '' && results.length > 0 && (
        <Results aria-label="Search results">
          {results.map((person) => (
            <li key={person.id}>
              <Result onClick={() => choose(person)}>
                <Avatar name={nameOf(person, person.id)} />
                <span>
                  <strong>
                    <bdi>{nameOf(person, person.id)}</bdi>
                  </strong>
                  <small>
                    <Handle person={person} />
                  </small>
                </span>
              </Result>
            </li>
          ))}
        </Results>
      )}
    </>
  );
}
