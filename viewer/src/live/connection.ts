// The WebSocket: commands with their answers, events, frames; comes back by itself when it is lost.
import { type Command, HistoryBlock, isHistory, type Reply, type ServerEvent } from "./protocol";

export interface Listener {
  event(event: ServerEvent): void;
  frame(buffer: ArrayBuffer): void;
  connected(yes: boolean): void;
  // Connected, but nothing is heard: a program that hangs, or a machine that sleeps.
  silent(yes: boolean): void;
  // The program answers, but not to this page's address: it was started again.
  outdated(): void;
}

const FIRST_DELAY = 400; // ms
const LONGEST_DELAY = 5000;
const SILENT = 4000; // ms; the program says something every second

export class Connection {
  private socket: WebSocket | null = null;
  private readonly waiting = new Map<number, (reply: Reply) => void>();
  private next = 1;
  private readonly blocks = new Map<number, (block: HistoryBlock | null) => void>();
  private delay = FIRST_DELAY;
  private heard = 0; // ms, of the last message
  private isSilent = false;

  constructor(private readonly listener: Listener) {
    this.open();
    setInterval(() => this.listen(), 1000);
  }

  // The answer, or a refusal when there is no connection.
  send(command: Command): Promise<Reply> {
    if (this.socket?.readyState !== WebSocket.OPEN)
      return Promise.resolve({ reply: null, ok: false, error: "There is no connection to the program at the moment." });
    const id = this.next++;
    this.socket.send(JSON.stringify({ id, ...command }));
    return new Promise((done) => this.waiting.set(id, done));
  }

  // Rows of the past; null when they are refused or the connection is lost.
  history(command: Command): Promise<HistoryBlock | null> {
    if (this.socket?.readyState !== WebSocket.OPEN) return Promise.resolve(null);
    const id = this.next++;
    this.socket.send(JSON.stringify({ id, ...command }));
    return new Promise((done) => {
      this.blocks.set(id, done);
      // an answer in words is a refusal
      this.waiting.set(id, ({ error }) => {
        this.listener.event({ event: "message", level: "error", text: error ?? "The program has no such rows." });
        this.answerBlock(id, null);
      });
    });
  }

  private answerBlock(id: number, block: HistoryBlock | null): void {
    const done = this.blocks.get(id);
    this.blocks.delete(id);
    this.waiting.delete(id);
    done?.(block);
  }

  // A tab in the background is woken seldom: what it missed meanwhile is no silence.
  private listen(): void {
    const silent =
      this.socket?.readyState === WebSocket.OPEN && !document.hidden && performance.now() - this.heard > SILENT;
    if (silent === this.isSilent) return;
    this.isSilent = silent;
    this.listener.silent(silent);
  }

  // For what comes at mouse rate: nothing is sent while the last one is unanswered.
  get busy(): boolean {
    return this.waiting.size > 4;
  }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/live`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.delay = FIRST_DELAY;
      this.heard = performance.now();
      this.listener.connected(true);
    };
    socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
      this.heard = performance.now();
      if (typeof data === "string") this.text(data);
      else if (isHistory(data)) {
        const block = new HistoryBlock(data);
        this.answerBlock(block.id, block);
      } else this.listener.frame(data);
    };
    socket.onclose = () => this.lost();
    this.socket = socket;
  }

  private lost(): void {
    for (const id of [...this.blocks.keys()]) this.answerBlock(id, null);
    for (const done of this.waiting.values()) done({ reply: null, ok: false, error: "The connection was lost." });
    this.waiting.clear();
    this.listener.connected(false);
    void this.askWhy();
    setTimeout(() => this.open(), this.delay);
    this.delay = Math.min(2 * this.delay, LONGEST_DELAY);
  }

  // A socket that is turned away does not say why; a request does.
  private async askWhy(): Promise<void> {
    const answer = await fetch("/models").catch(() => null);
    if (answer?.status === 403) this.listener.outdated();
  }

  private text(data: string): void {
    const message = JSON.parse(data) as Reply | ServerEvent;
    if ("event" in message) {
      this.listener.event(message);
      return;
    }
    const id = message.reply;
    if (id === null) {
      this.listener.event({ event: "message", level: "error", text: message.error ?? "An error without words." });
      return;
    }
    this.waiting.get(id)?.(message);
    this.waiting.delete(id);
  }
}
