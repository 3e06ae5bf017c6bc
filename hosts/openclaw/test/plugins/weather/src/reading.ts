export enum Unit {
    C = 'C',
    F = 'F',
}
export interface Params {
    place: string;
    days?: number;
}
export interface Context {
    workspaceDir: string;
    agentId?: string;
}

export const reading = (place: string, unit: Unit) => ({ place, temperature: unit === Unit.F ? 70 : 21, unit });
