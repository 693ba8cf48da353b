/** Apple Wallet passes, made by the server. */
import { useState } from 'react';
import { PASS_FILE, QR_PASS_FILE } from '#contracts/plain/qr-content';
import { api } from '../../shared/api/api.js';
import { isNotConfirmed, isUnauthorized, sentenceFor } from '../../shared/api/call.js';
import { useFailure } from '../../shared/ui/failure.js';
import { useToast } from '../../shared/ui/toasts.js';
import { saveFile } from '../../shared/ui/save-file.js';

const NOT_SUPPORTED = {
  title: 'Apple Wallet Not Supported',
  description: 'Apple Wallet is only supported on iOS devices using Safari.',
} as const;

/** Nothing beside these three, and nothing behind them: other browsers on iOS add their own name. */
const SAFARI = /\) Version\/[\d.]+ (?:Mobile\/\w+ )?Safari\/[\d.]+$/;

/**
 * Whether this is Safari on iOS, which alone has the wallet. An iPad claims to be a Mac with a touch screen.
 */
export function hasAppleWallet({
  userAgent,
  maxTouchPoints,
}: Pick<Navigator, 'userAgent' | 'maxTouchPoints'>): boolean {
  const isIos = /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
  return isIos && SAFARI.test(userAgent);
}

interface TipPass {
  readonly userId: string;
  readonly amount: string | null;
  readonly description: string | null;
}

const passes = api.injectEndpoints({
  endpoints: (build) => ({
    generatePass: build.mutation<string, TipPass>({
      query: (body) => ({ path: '/api/apple-wallet/generate-pass', method: 'POST', answer: 'file', body }),
      // The store holds the object URL of the file, which is valid until the page closes.
      transformResponse: (file: Blob) => URL.createObjectURL(file),
    }),
    generateQrPass: build.mutation<string, { readonly amount: string | null }>({
      query: (body) => ({ path: '/api/apple-wallet/generate-qr-pass', method: 'POST', answer: 'file', body }),
      transformResponse: (file: Blob) => URL.createObjectURL(file),
    }),
  }),
});
const { useGeneratePassMutation, useGenerateQrPassMutation } = passes;

interface PassMaker {
  /** Why the server made none, where it says so: the toast says only that none was made (spec.md §8). */
  readonly problem: string | undefined;
  readonly clearProblem: () => void;
  /** Requests a pass and opens it. Resolves to whether that worked. */
  readonly make: (ask: () => Promise<string>) => Promise<boolean>;
}

function usePassMaker(name: string, failed: string): PassMaker {
  const toast = useToast();
  const fail = useFailure();
  const [problem, setProblem] = useState<string>();
  const clearProblem = () => setProblem(undefined);
  const make = async (ask: () => Promise<string>) => {
    clearProblem();
    try {
      saveFile(name, await ask());
      return true;
    } catch (error) {
      if (isUnauthorized(error) || isNotConfirmed(error)) fail(error, failed);
      else {
        toast.error('Error', failed);
        const reason = sentenceFor(error, failed);
        setProblem(reason === failed ? undefined : reason);
      }
      return false;
    }
  };
  return { problem, clearProblem, make };
}

/** True if the device supports passes; otherwise shows a toast. */
export function useWalletCheck(): () => boolean {
  const toast = useToast();
  return () => {
    const isSupported = hasAppleWallet(navigator);
    if (!isSupported) toast.error(NOT_SUPPORTED.title, NOT_SUPPORTED.description);
    return isSupported;
  };
}

interface TipPassMaker extends Pick<PassMaker, 'problem'> {
  readonly isBusy: boolean;
  readonly add: () => void;
}

/** The pass for tips. */
export function useTipPass(userId: string): TipPassMaker {
  const check = useWalletCheck();
  const [generate, { isLoading }] = useGeneratePassMutation();
  const { problem, make } = usePassMaker(
    PASS_FILE,
    'Failed to generate Apple Wallet pass. Please try again.',
  );
  const add = () => {
    if (check() && !isLoading)
      void make(() => generate({ userId, amount: null, description: null }).unwrap());
  };
  return { isBusy: isLoading, problem, add };
}

interface QrPassMaker extends Omit<PassMaker, 'make'> {
  readonly isBusy: boolean;
  readonly add: (amount: string | null) => Promise<boolean>;
}

/** The pass with a QR code, for a fixed amount or any. */
export function useQrPass(): QrPassMaker {
  const [generate] = useGenerateQrPassMutation();
  const [isBusy, setBusy] = useState(false);
  const { make, ...told } = usePassMaker(
    QR_PASS_FILE,
    'Failed to generate QR payment pass. Please try again.',
  );
  const add = async (amount: string | null) => {
    setBusy(true);
    const isMade = await make(() => generate({ amount }).unwrap());
    setBusy(false);
    return isMade;
  };
  return { ...told, isBusy, add };
}
