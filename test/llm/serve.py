"""Serves a GGUF model on loopback by llama.cpp: serve.py MODEL PORT THREADS."""

import sys
import time

import xllamacpp

model, port, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
p = xllamacpp.CommonParams()
p.model.path = model
p.model_alias = {"qwen"}
p.hostnames = ["127.0.0.1"]
p.port = port
p.n_ctx = 8192
p.n_parallel = 1
p.warmup = False
p.embedding = True
p.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
for cpu in (p.cpuparams, p.cpuparams_batch):
    cpu.n_threads = threads
    cpu.poll = 0  # threads that spin while they wait starve each other on shared cores
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
while True:
    time.sleep(60)
