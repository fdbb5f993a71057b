"""A server reads the shift of each step from a socket; the graph keeps that of its capture."""

import socket

import torch


class Server:
    def __init__(self):
        self.connection, self.client = socket.socketpair()
        self.input = torch.ones(4, device="cuda")
        self.staging = torch.zeros(1, pin_memory=True)
        self.shift = torch.zeros(1, device="cuda")

    def step(self):
        request = self.connection.recv(1)  # cgsan: CG226
        self.staging.fill_(request[0])
        self.shift.copy_(self.staging, non_blocking=True)
        return self.input + self.shift


server, reference = Server(), Server()
server.client.sendall(bytes([1]))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    y = server.step()

replayed, eager = [], []
for value in (2, 3, 4):
    server.client.sendall(bytes([value]))
    graph.replay()
    replayed.append(y[0].item())
    reference.client.sendall(bytes([value]))
    eager.append(reference.step()[0].item())
print("replay", replayed, "eager", eager)
